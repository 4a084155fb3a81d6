// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.engine;

import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Stands still until a test advances it. For one thread. */
public final class FakeTimer implements Timer {
    private record Task(long atNanos, long order, Runnable work) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::order));
    private long nanos = 7;
    private long order;

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public long epochMicros() {
        return nanos / 1_000;
    }

    /** Always the middle, so that tests can compute what will be. */
    @Override
    public double random() {
        return 0.5;
    }

    @Override
    public Scheduled after(Duration delay, Runnable work) {
        Task task = new Task(nanos + Durations.nanos(delay), order++, work);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    public void advance(Duration length) {
        long end = nanos + length.toNanos();
        while (!tasks.isEmpty() && tasks.peek().atNanos() <= end) {
            Task task = tasks.remove();
            nanos = Math.max(nanos, task.atNanos());
            task.work().run();
        }
        nanos = end;
    }

    /** How many tasks wait for their moment. */
    public int waiting() {
        return tasks.size();
    }
}
