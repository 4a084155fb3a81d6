// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.time;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

/** Now, later and by chance: the only source of time, delay and randomness. Thread-safe. */
public interface Timer {
    /** Monotonic nanoseconds; only differences mean anything. */
    long nanoTime();

    /**
     * Wall clock in microseconds since 1970. Stores inside this process take it as their clock, and engines turn
     * instants into delays with it; nothing measures its own validity by it.
     */
    long epochMicros();

    /**
     * Runs a short task once, no earlier than after the delay, on a thread of the timer that must not block.
     * A task that throws ends only itself.
     */
    Scheduled after(Duration delay, Runnable task);

    /** Evenly spread over [0, 1), for jitter; a timer for tests draws it from a seed. */
    default double random() {
        return ThreadLocalRandom.current().nextDouble();
    }

    /** A positive number that no other process, and no other caller in this one, has: 63 random bits. */
    default long newIdentity() {
        return ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    }

    /**
     * Called by a thread that is about to block until something ends its wait. A timer that a test moves by hand runs
     * what is due, and refuses to wait for time that nobody would move.
     */
    default void beforeBlocking(BooleanSupplier over) {}

    /** The system's clocks, and one daemon thread for the whole process that ends when nothing is scheduled. */
    static Timer system() {
        return SystemTimer.INSTANCE;
    }

    /** A task that waits for its moment. */
    @FunctionalInterface
    interface Scheduled {
        /** False if the task has begun, has run or was cancelled before. */
        boolean cancel();
    }
}
