// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.List;

/** A change of one queue. */
public sealed interface QueueMutation extends Mutation {
    QueueName queue();

    @Override
    default Place place() {
        return queue();
    }

    /**
     * Adds messages in order, all or none. Refused with {@link Obstacle.QueueFull} if the queue would then hold more
     * than {@code bound} live messages (waiting, delayed, grouped and running; duplicates do not count).
     */
    record Enqueue(QueueName queue, List<Message> messages, long bound) implements QueueMutation {
        public static final long UNBOUNDED = Long.MAX_VALUE;

        public Enqueue {
            messages = List.copyOf(messages);
            if (messages.isEmpty()) throw new IllegalArgumentException("nothing to enqueue in " + queue.name());
            if (bound < 1)
                throw new IllegalArgumentException("the bound of a queue is " + bound + "; it must be 1 or more");
        }
    }

    /** Makes a waiting or dead message due after the delay; a dead one with fresh attempts. Unfit: running or unknown. */
    record Move(QueueName queue, MessageId id, Duration delay) implements QueueMutation {
        public Move {
            Durations.notNegative("the delay", delay);
        }
    }

    /** Removes a waiting or dead message. Unfit: running or unknown. */
    record Remove(QueueName queue, MessageId id) implements QueueMutation {}

    /** Sets what the queue does from now on. */
    record Tune(QueueName queue, QueueSettings settings) implements QueueMutation {}

    /** The end, or the extension, of one delivery. In a commit a stale receipt refuses everything. */
    sealed interface Settlement extends QueueMutation {
        Receipt receipt();

        @Override
        default QueueName queue() {
            return receipt().queue();
        }
    }

    /** Done: the message is gone. A delivery whose time lapsed may still acknowledge until it is delivered again. */
    record Ack(Receipt receipt) implements Settlement {}

    /**
     * Another attempt after the delay; spends the receipt. {@code failed} counts a failure; otherwise the message goes
     * back as if never taken, at its old place when the delay is zero.
     */
    record Retry(Receipt receipt, Duration delay, boolean failed) implements Settlement {
        public Retry {
            Durations.notNegative("the delay", delay);
        }
    }

    /** To the dead letters; spends the receipt. */
    record Bury(Receipt receipt, String reason, Bytes detail) implements Settlement {}

    /** A new visibility lease from now on; stale once the lapsed message was put back. */
    record Extend(Receipt receipt, Duration lease) implements Settlement {
        public Extend {
            Durations.positive("the visibility lease", lease);
        }
    }
}
