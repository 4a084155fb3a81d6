// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Engine;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs reactions of one user one after the other, never two at a time. Thread-safe. */
final class Serial {
    private static final System.Logger LOG = System.getLogger("dev.bellwether.lock");

    private final Engine engine;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Thread> runner = new AtomicReference<>();

    Serial(Engine engine) {
        this.engine = engine;
    }

    /** On the executor. */
    void submit(Runnable task) {
        tasks.add(task);
        try {
            engine.executor().execute(this::drain);
        } catch (RejectedExecutionException shutDown) {
            drain();
        }
    }

    boolean isRunningHere() {
        return runner.get() == Thread.currentThread();
    }

    private void drain() {
        // A task added while another thread was about to stop is seen by the look that follows the stop, its or ours.
        while (!tasks.isEmpty() && runner.compareAndSet(null, Thread.currentThread())) {
            try {
                for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) run(task);
            } finally {
                runner.set(null);
            }
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException failure) {
            LOG.log(System.Logger.Level.WARNING, "a reaction to an election threw", failure);
        }
    }
}
