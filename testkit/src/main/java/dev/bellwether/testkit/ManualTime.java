// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit;

import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;

/**
 * Timer and executor in one, for tests: time stands still until {@link #advance}, background work waits for
 * {@link #settle} or {@link #advance} and then runs on the test's thread, in order. Thread-safe, though a test that uses
 * one thread is the one that never surprises.
 */
public final class ManualTime implements Timer, Executor {
    /** 2026-01-01T00:00:00Z. */
    private static final long START_MICROS = 1_767_225_600_000_000L;

    /** A test that still has work after this many steps runs in a circle. */
    private static final int MOST_STEPS = 10_000_000;

    private record Task(long atNanos, long order, Runnable work) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::order));
    private long nanos;
    private long wallStepMicros;
    private long order;

    /** Begins at a fixed wall time and at zero nanoseconds. */
    public ManualTime() {}

    @Override
    public synchronized long nanoTime() {
        return nanos;
    }

    @Override
    public synchronized long epochMicros() {
        return START_MICROS + wallStepMicros + nanos / 1_000;
    }

    @Override
    public Scheduled after(Duration delay, Runnable work) {
        Task task;
        synchronized (this) {
            task = new Task(nanos + Durations.nanos(delay), order++, work);
            tasks.add(task);
        }
        return () -> {
            synchronized (this) {
                return tasks.remove(task);
            }
        };
    }

    /** Runs the work at the next {@link #settle} or {@link #advance}. */
    @Override
    public void execute(Runnable work) {
        Scheduled unused = after(Duration.ZERO, work);
    }

    /** Runs everything that is due now, and what that brings forth, until nothing is. */
    public void settle() {
        advance(Duration.ZERO);
    }

    /** Moves time forward, stopping at each moment at which something is due to run it. */
    public void advance(Duration length) {
        Durations.notNegative("the time to advance", length);
        long end;
        synchronized (this) {
            end = nanos + Durations.nanos(length);
        }
        int steps = 0;
        for (Task task = nextUntil(end); task != null; task = nextUntil(end)) {
            if (++steps > MOST_STEPS) {
                throw new IllegalStateException(
                        "after " + MOST_STEPS + " steps there is still work due: it runs in a circle");
            }
            task.work().run();
        }
        synchronized (this) {
            nanos = Math.max(nanos, end);
        }
    }

    /** Runs the next waiting task, moving time to its moment; false if none waits. */
    public boolean step() {
        Task task = nextUntil(Long.MAX_VALUE);
        if (task == null) return false;
        task.work().run();
        return true;
    }

    /** Steps the wall clock, and with it the clock of a store on this timer, without moving time. */
    public synchronized void stepWallClock(Duration step) {
        wallStepMicros += step.toNanos() / 1_000;
    }

    private synchronized @org.jspecify.annotations.Nullable Task nextUntil(long end) {
        Task next = tasks.peek();
        if (next == null || next.atNanos() > end) return null;
        tasks.remove();
        nanos = Math.max(nanos, next.atNanos());
        return next;
    }
}
