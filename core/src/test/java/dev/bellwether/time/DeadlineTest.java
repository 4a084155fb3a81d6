// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.time;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.engine.FakeTimer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {
    private final FakeTimer timer = new FakeTimer();

    @Test
    void whatRemainsShrinksToZeroAndStaysThere() {
        Deadline deadline = Deadline.after(timer, ofMillis(10));
        assertThat(deadline.remaining()).isEqualTo(ofMillis(10));
        timer.advance(ofMillis(9));
        assertThat(deadline.isPast()).isFalse();
        timer.advance(ofMillis(1));
        assertThat(deadline.isPast()).isTrue();
        timer.advance(Duration.ofDays(1));
        assertThat(deadline.remaining()).isEqualTo(ZERO);
    }

    @Test
    void theEarlierOfTwoCounts() {
        Deadline early = Deadline.after(timer, ofMillis(1));
        Deadline late = Deadline.after(timer, ofMillis(2));
        assertThat(early.min(late)).isEqualTo(early);
        assertThat(late.min(early)).isEqualTo(early);
    }

    @Test
    void aTimerWhoseNumbersWrapStillCounts() {
        Timer nearTheEnd = new Timer() {
            @Override
            public long nanoTime() {
                return Long.MAX_VALUE - 5;
            }

            @Override
            public long epochMicros() {
                return 0;
            }

            @Override
            public Scheduled after(Duration delay, Runnable task) {
                return () -> false;
            }
        };
        Deadline deadline = Deadline.after(nearTheEnd, ofMillis(10));
        assertThat(deadline.isPast()).isFalse();
        assertThat(deadline.remaining()).isEqualTo(ofMillis(10));
        assertThat(deadline.min(new Deadline(nearTheEnd, Long.MAX_VALUE - 1)).nanos())
                .isEqualTo(Long.MAX_VALUE - 1);
    }
}
