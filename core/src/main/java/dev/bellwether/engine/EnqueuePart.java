// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.engine;

import dev.bellwether.spi.QueueMutation.Enqueue;
import org.jspecify.annotations.Nullable;

/**
 * A queue as a transaction needs it. The queue's own class implements it beside its public interface. Thread-safe.
 *
 * @param <T> what the queue carries
 * @param <E> the type of its envelope
 */
public interface EnqueuePart<T, E> {
    /** The queue's name in messages. */
    String queueName();

    /**
     * The encoded message as a mutation of its own; a transaction merges several of one queue in order.
     *
     * @param envelope null means now
     * @throws RuntimeException if the message cannot be encoded or breaks a limit
     */
    Enqueue enqueuing(T message, @Nullable E envelope);

    /** That many messages were committed, for the listener. */
    void enqueued(int messages);
}
