// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.time.Deadline;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A blocked caller lends its thread: user code that its flights need runs on it while it waits. Thread-safe; one thread
 * works it.
 */
final class Mailbox {
    private static final ThreadLocal<@Nullable Mailbox> CURRENT = new ThreadLocal<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Runnable> work = new ArrayDeque<>(2);
    private boolean refuses;

    /** The mailbox that this thread works; null if none. */
    static @Nullable Mailbox current() {
        return CURRENT.get();
    }

    /** This thread works it from now on. */
    void enter() {
        CURRENT.set(this);
        lock.lock();
        try {
            refuses = false;
        } finally {
            lock.unlock();
        }
    }

    /** False if the thread has left or waits elsewhere: the work then runs on another. */
    boolean offer(Runnable task) {
        lock.lock();
        try {
            if (refuses) return false;
            work.add(task);
            changed.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the thread to look whether it is done. */
    void wake() {
        lock.lock();
        try {
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Nothing is taken until entered again; what was not begun is handed back, so that nobody waits for this thread. */
    List<Runnable> suspend() {
        lock.lock();
        try {
            refuses = true;
            List<Runnable> left = List.copyOf(work);
            work.clear();
            return left;
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #suspend}, for good. */
    List<Runnable> close() {
        CURRENT.remove();
        return suspend();
    }

    /**
     * The next task; null once the callers are done, or at the limit.
     *
     * @throws InterruptedException if the thread is interrupted before there is any
     */
    @Nullable
    Runnable next(BooleanSupplier done, Deadline limit) throws InterruptedException {
        limit.timer().beforeBlocking(() -> done.getAsBoolean() || hasWork());
        lock.lockInterruptibly();
        try {
            while (true) {
                if (done.getAsBoolean()) return null;
                if (!work.isEmpty()) return work.remove();
                if (limit.isPast()) return null;
                long unused = changed.awaitNanos(Math.max(1, limit.remainingNanos()));
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean hasWork() {
        lock.lock();
        try {
            return !work.isEmpty();
        } finally {
            lock.unlock();
        }
    }
}
