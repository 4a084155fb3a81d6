// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.time;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.bellwether.engine.FakeTimer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DurationsTest {
    private static final Duration LONGEST = ofSeconds(Long.MAX_VALUE, 999_999_999);
    private static final Duration SHORTEST = ofSeconds(Long.MIN_VALUE);

    private static Duration ofSeconds(long seconds, long nanos) {
        return Duration.ofSeconds(seconds, nanos);
    }

    private static Duration ofSeconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    @Test
    void millisecondsAreRoundedUpSoThatNothingEndsEarly() {
        assertThat(Durations.millis(ofNanos(1))).isEqualTo(1);
        assertThat(Durations.millis(ofMillis(1))).isEqualTo(1);
        assertThat(Durations.millis(ofMillis(1).plusNanos(1))).isEqualTo(2);
        assertThat(Durations.millis(ofSeconds(3).plusNanos(999_999_999))).isEqualTo(4_000);
    }

    @Test
    void zeroAndNegativeAreZero() {
        assertThat(Durations.millis(ZERO)).isZero();
        assertThat(Durations.millis(ofNanos(-1))).isZero();
        assertThat(Durations.millis(SHORTEST)).isZero();
        assertThat(Durations.nanos(SHORTEST)).isZero();
    }

    @Test
    void whatIsTooLongSaturatesFarFromOverflow() {
        assertThat(Durations.millis(LONGEST)).isEqualTo(Durations.MAX_MILLIS);
        assertThat(Durations.millis(ofMillis(Durations.MAX_MILLIS - 1_000))).isEqualTo(Durations.MAX_MILLIS - 1_000);
        assertThat(Durations.nanos(LONGEST)).isEqualTo(Long.MAX_VALUE >> 1);
        assertThat(Durations.nanos(ofSeconds(100))).isEqualTo(100_000_000_000L);
        FakeTimer timer = new FakeTimer();
        assertThat(Deadline.after(timer, LONGEST).isPast()).isFalse();
    }

    @Test
    void boundsAreCheckedByName() {
        assertThat(Durations.notNegative("x", ZERO)).isEqualTo(ZERO);
        assertThat(Durations.between("x", ofMillis(5), ofMillis(5), ofMillis(5)))
                .isEqualTo(ofMillis(5));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.notNegative("the ttl", ofNanos(-1)))
                .withMessage("the ttl is PT-0.000000001S; it must be zero or longer");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.positive("the lease", ZERO))
                .withMessageContaining("the lease is PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.between("the lease", ofMillis(1), ofMillis(2), ofMillis(3)))
                .withMessageContaining("between PT0.002S and PT0.003S");
        assertThat(Durations.min(ofMillis(1), ofMillis(2))).isEqualTo(ofMillis(1));
    }
}
