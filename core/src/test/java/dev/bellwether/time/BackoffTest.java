// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.time;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE);

    private static List<Duration> first(int count, Backoff backoff) {
        return IntStream.rangeClosed(1, count).mapToObj(backoff::after).toList();
    }

    @Test
    void fixedIsTheSameEachTime() {
        assertThat(first(3, Backoff.fixed(ofMillis(7)))).containsOnly(ofMillis(7));
    }

    @Test
    void linearGrowsByItsStep() {
        assertThat(first(4, Backoff.linear(ofMillis(100), ofMillis(50))))
                .containsExactly(ofMillis(100), ofMillis(150), ofMillis(200), ofMillis(250));
    }

    @Test
    void exponentialDoublesUpToItsMaximum() {
        assertThat(first(5, Backoff.exponential(ofSeconds(1), ofSeconds(6))))
                .containsExactly(ofSeconds(1), ofSeconds(2), ofSeconds(4), ofSeconds(6), ofSeconds(6));
    }

    @Test
    void theLastDelayOfAScheduleRepeats() {
        assertThat(first(4, Backoff.schedule(ofMillis(1), ofMillis(5))))
                .containsExactly(ofMillis(1), ofMillis(5), ofMillis(5), ofMillis(5));
    }

    @Test
    void theRecipeLooksFiveTimesMoreAndDenoRetriesFiveTimes() {
        Backoff recipe = Backoff.recipe();
        assertThat(first(5, recipe))
                .containsExactly(ofMillis(100), ofMillis(200), ofMillis(300), ofMillis(400), ofMillis(500));
        assertThat(recipe.attempts()).isEqualTo(5);
        assertThat(first(5, Backoff.deno()))
                .containsExactly(ofMillis(100), ofSeconds(1), ofSeconds(5), ofSeconds(30), ofSeconds(60));
        assertThat(Backoff.deno().attempts()).isEqualTo(5);
    }

    @Test
    void hugeDelaysAndAttemptsSaturateInsteadOfOverflowing() {
        for (Backoff backoff : List.of(
                Backoff.fixed(LONGEST),
                Backoff.linear(LONGEST, LONGEST),
                Backoff.exponential(ofSeconds(1), LONGEST),
                Backoff.exponential(LONGEST, LONGEST).jittered(),
                Backoff.decorrelated(LONGEST, LONGEST))) {
            for (int attempt : new int[] {Integer.MIN_VALUE, -1, 0, 1, 64, Integer.MAX_VALUE}) {
                assertThat(backoff.after(attempt)).isGreaterThanOrEqualTo(ZERO);
            }
        }
        assertThat(Backoff.linear(ofMillis(1), ofMillis(1)).after(Integer.MIN_VALUE))
                .isEqualTo(ofMillis(1));
    }

    @Test
    void jitterStaysWithinItsBounds() {
        Backoff delays = Backoff.fixed(ofMillis(100));
        assertThat(delays.jittered(0, () -> 0).after(1)).isEqualTo(ZERO);
        assertThat(delays.jittered(0, () -> 0.999).after(1)).isLessThan(ofMillis(100));
        assertThat(delays.jittered(0.5, () -> 0).after(1)).isEqualTo(ofMillis(50));
        assertThat(delays.jittered(1, () -> 0).after(1)).isEqualTo(ofMillis(100));
        for (int i = 0; i < 1_000; i++) {
            assertThat(delays.halfJittered().after(1)).isBetween(ofMillis(50), ofMillis(100));
            assertThat(delays.jittered().after(1)).isBetween(ZERO, ofMillis(100));
        }
    }

    @Test
    void jitterKeepsTheLimitAndTheLimitKeepsTheDelays() {
        Backoff limited = Backoff.fixed(ofMillis(3)).limit(4);
        assertThat(limited.attempts()).isEqualTo(4);
        assertThat(limited.after(9)).isEqualTo(ofMillis(3));
        assertThat(limited.jittered().attempts()).isEqualTo(4);
    }

    @Test
    void decorrelatedLiesBetweenItsFirstAndItsMaximum() {
        Backoff backoff = Backoff.decorrelated(ofMillis(10), ofMillis(200));
        for (int attempt = 1; attempt < 200; attempt++) {
            assertThat(backoff.after(attempt)).isBetween(ofMillis(10), ofMillis(200));
        }
        assertThat(Backoff.decorrelated(ofMillis(50), ofMillis(20)).after(3)).isEqualTo(ofMillis(20));
    }

    @Test
    void anyFunctionOfTheAttemptServes() {
        assertThat(Backoff.of(attempt -> attempt * 10L).after(3)).isEqualTo(ofMillis(30));
        assertThat(Backoff.of(attempt -> -1L).after(3)).isEqualTo(ZERO);
    }

    @Test
    void wrongSettingsAreRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backoff.fixed(ofMillis(-1)))
                .withMessageContaining("the delay");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backoff.linear(ZERO, ofMillis(-1)))
                .withMessageContaining("the step");
        assertThatIllegalArgumentException().isThrownBy(Backoff::schedule).withMessageContaining("at least one");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backoff.fixed(ZERO).limit(0))
                .withMessageContaining("1 or more");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backoff.fixed(ZERO).jittered(1.1, () -> 0))
                .withMessageContaining("between 0 and 1");
    }
}
