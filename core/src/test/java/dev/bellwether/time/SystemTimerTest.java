// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.time;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SystemTimerTest {
    private final Timer timer = Timer.system();

    @Test
    void aTaskRunsOnceItsDelayHasPassed() throws InterruptedException {
        long start = timer.nanoTime();
        CountDownLatch ran = new CountDownLatch(1);
        Scheduled scheduled = timer.after(Duration.ofMillis(20), ran::countDown);
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(timer.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
        assertThat(scheduled.cancel()).isFalse();
    }

    @Test
    void aCancelledTaskNeverRunsAndIsCancelledOnce() throws InterruptedException {
        AtomicBoolean ran = new AtomicBoolean();
        Scheduled scheduled = timer.after(Duration.ofMillis(30), () -> ran.set(true));
        assertThat(scheduled.cancel()).isTrue();
        assertThat(scheduled.cancel()).isFalse();
        CountDownLatch later = new CountDownLatch(1);
        timer.after(Duration.ofMillis(40), later::countDown);
        assertThat(later.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(ran).isFalse();
    }

    @Test
    void aTaskThatHasBegunCannotBeCancelled() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Scheduled scheduled = timer.after(Duration.ZERO, () -> {
            begun.countDown();
            try {
                end.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(scheduled.cancel()).isFalse();
        end.countDown();
    }

    @Test
    void theWallClockIsInMicroseconds() {
        assertThat(timer.epochMicros()).isBetween(1_600_000_000_000_000L, 40_000_000_000_000_000L);
    }
}
