// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Receipt;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One message and where it is: in exactly one place at any moment. Times in microseconds. */
final class Item {
    final MessageId id;
    final Message message;
    final long enqueuedAt;
    Bytes payload;
    MessageState place = MessageState.READY;
    int deliveries;
    int failures;
    int crashes;
    /** Whether the latest receipt was settled. */
    boolean spent;

    long due;
    /** Order among the ready ones, in milliseconds, as it was when it last became ready. */
    long score;
    /** Order within its group. */
    long joined;
    /** While running. */
    long leaseEnds;

    @Nullable
    String reason;

    Bytes detail = Bytes.EMPTY;
    long diedAt;

    Item(MessageId id, Message message, long now) {
        this.id = id;
        this.message = message;
        this.payload = message.payload();
        this.enqueuedAt = now;
    }

    Item copy() {
        Item copy = new Item(id, message, enqueuedAt);
        copy.payload = payload;
        copy.place = place;
        copy.deliveries = deliveries;
        copy.failures = failures;
        copy.crashes = crashes;
        copy.spent = spent;
        copy.due = due;
        copy.score = score;
        copy.joined = joined;
        copy.leaseEnds = leaseEnds;
        copy.reason = reason;
        copy.detail = detail;
        copy.diedAt = diedAt;
        return copy;
    }

    boolean isLive() {
        return place != MessageState.DEAD;
    }

    boolean isDue(long now) {
        return due <= now;
    }

    void becomeReady(Duration ageing) {
        place = MessageState.READY;
        score = Math.floorDiv(due, 1_000L) + message.band() * Moment.micros(ageing) / 1_000;
    }

    Claim.Handout handout(QueueName queue) {
        return new Claim.Handout(new Receipt(queue, id, deliveries), payload, failures, crashes);
    }

    Inspection.Letter letter(long now) {
        return new Inspection.Letter(
                id,
                place,
                payload,
                deliveries,
                failures,
                crashes,
                enqueuedAt,
                isLive() ? Duration.of(Math.max(0, due - now), ChronoUnit.MICROS) : Duration.ZERO,
                Optional.ofNullable(reason),
                detail,
                diedAt);
    }
}
