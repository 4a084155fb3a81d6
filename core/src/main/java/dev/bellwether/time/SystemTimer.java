// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The one timer thread of a process. */
final class SystemTimer implements Timer {
    static final SystemTimer INSTANCE = new SystemTimer();

    private static final System.Logger LOG = System.getLogger("dev.bellwether.time");

    private final ScheduledThreadPoolExecutor thread;

    private SystemTimer() {
        thread = new ScheduledThreadPoolExecutor(1, Threads.named("timer"));
        thread.setRemoveOnCancelPolicy(true);
        // The thread ends this long after the last task; shorter would restart it between two renewals.
        thread.setKeepAliveTime(1, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long epochMicros() {
        Instant now = Instant.now();
        return Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000L), now.getNano() / 1_000);
    }

    @Override
    public Scheduled after(Duration delay, Runnable task) {
        // A future that runs can still be cancelled, so who came first is settled here.
        AtomicBoolean over = new AtomicBoolean();
        Future<?> future = thread.schedule(
                () -> {
                    if (over.compareAndSet(false, true)) runQuietly(task);
                },
                Durations.nanos(delay),
                TimeUnit.NANOSECONDS);
        return () -> {
            if (!over.compareAndSet(false, true)) return false;
            future.cancel(false);
            return true;
        };
    }

    private static void runQuietly(Runnable task) {
        try {
            task.run();
        } catch (Throwable failure) {
            LOG.log(System.Logger.Level.ERROR, "a timer task failed; the timer goes on", failure);
        }
    }
}
