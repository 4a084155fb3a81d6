// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.queue;

import dev.bellwether.time.Backoff;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * A running consumer of one queue in this process. Closing stops claiming, lets handlers finish for the grace period,
 * interrupts and hands back the rest without a penalty; it is bounded, idempotent and throws nothing. Called by a handler
 * of the same worker it returns at once. Thread-safe.
 */
public interface Worker extends AutoCloseable {
    /** Whether it claims and the store answers: false once closed, and after some seconds without an answer. */
    boolean isRunning();

    /** Waits until nothing is due and nothing is in flight in the whole queue; false if time ran out. */
    boolean awaitIdle(Duration limit);

    @Override
    void close();

    /** Returning acknowledges; throwing asks for another attempt. */
    @FunctionalInterface
    interface Handler<T> {
        void handle(T message) throws Exception;
    }

    /** As {@link Handler}, with the delivery at hand. */
    @FunctionalInterface
    interface WithDelivery<T> {
        void handle(T message, Delivery<T> delivery) throws Exception;
    }

    /** How a worker handles its messages. For one thread; changes itself. */
    interface Builder<T> {
        /** Handlers at once in this process (1). */
        Builder<T> concurrency(int handlers);

        /** Failed attempts before a message is dead (5, or as many as a limited backoff allows). */
        Builder<T> maxAttempts(int attempts);

        /** Deliveries that ended with the death of the process before a message is dead (3; at most 1,000). */
        Builder<T> maxCrashes(int crashes);

        /** Between attempts (full jitter, 1 s to 5 min). */
        Builder<T> backoff(Backoff backoff);

        /** Failures after which another attempt is pointless. */
        Builder<T> buryOn(Class<? extends Exception> failure);

        /** A failure that says itself when to come back. The first matching class counts. */
        <X extends Exception> Builder<T> retryOn(Class<X> failure, Function<? super X, Duration> delay);

        /** How soon a dead process's messages go to others (15 s); a living handler keeps its message. */
        Builder<T> lease(Duration lease);

        /** A handler that runs longer is interrupted and counts as failed (no limit). */
        Builder<T> atMost(Duration limit);

        /** Where handlers run (the executor of the Bellwether). */
        Builder<T> executor(Executor executor);

        /**
         * For tests and the brave: this part of all messages is, after the handler succeeded, delivered once more, so
         * that handlers which are not idempotent show themselves (0). Never twice for one message.
         */
        Builder<T> redeliver(double fraction);

        Worker start(Handler<? super T> handler);

        Worker startWithDelivery(WithDelivery<T> handler);
    }
}
