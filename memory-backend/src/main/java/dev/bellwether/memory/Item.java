// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import org.jspecify.annotations.Nullable;

/** One message of a queue, with its counts. Plain state of {@link QueueCell}; times are the store's microseconds. */
final class Item {
    final MessageId id;
    /** The number behind the id: the order of enqueue. */
    final long number;

    final int band;
    final @Nullable Bytes group;
    final Message.CrashPolicy crashPolicy;
    final long enqueuedAt;

    Bytes payload;
    MessageState state = MessageState.GONE;
    long due;
    long score;
    int deliveries;
    int failures;
    int crashes;
    boolean spent;

    @Nullable
    DedupKey dedup;

    String reason = "";
    Bytes detail = Bytes.EMPTY;
    long diedAt;

    /** Where it stands in the {@link Ranks} that holds it, and by what. */
    int position;

    long rank;

    Item(long number, Message message, long enqueuedAt) {
        this.id = new MessageId(Long.toString(number));
        this.number = number;
        this.band = message.band();
        this.group = message.group();
        this.crashPolicy = message.crashes();
        this.payload = message.payload();
        this.enqueuedAt = enqueuedAt;
    }

    boolean isWaiting() {
        return state == MessageState.READY || state == MessageState.DELAYED || state == MessageState.GROUPED;
    }

    boolean isDead() {
        return state == MessageState.DEAD;
    }

    /** Whether this delivery has been neither settled nor superseded. */
    boolean isCurrent(int delivery) {
        return !isDead() && delivery > 0 && delivery == deliveries && !spent;
    }

    long bytes() {
        return (long) payload.length() + detail.length();
    }
}
