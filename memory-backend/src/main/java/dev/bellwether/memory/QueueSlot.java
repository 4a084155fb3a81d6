// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Inspection.Letter;
import dev.bellwether.spi.Inspection.QueueFigures;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.QueueSettings;
import dev.bellwether.spi.RequestId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One queue as it stands. Times are the store's microseconds, scores are milliseconds. Under the store's lock. */
final class QueueSlot {
    private static final Comparator<Item> BY_SCORE =
            Comparator.<Item>comparingLong(item -> item.score).thenComparingLong(item -> item.sequence);
    private static final Comparator<Item> BY_DUE =
            Comparator.<Item>comparingLong(item -> item.due).thenComparingLong(item -> item.sequence);
    private static final Comparator<Item> BY_DEADLINE =
            Comparator.<Item>comparingLong(item -> item.deadline).thenComparingLong(item -> item.sequence);

    final QueueName name;

    /** Every live message is here, and in exactly one of the three sets or behind the head of its group. */
    final Map<MessageId, Item> live = new HashMap<>();

    final TreeSet<Item> ready = new TreeSet<>(BY_SCORE);
    final TreeSet<Item> delayed = new TreeSet<>(BY_DUE);
    final TreeSet<Item> running = new TreeSet<>(BY_DEADLINE);
    final Map<Bytes, ArrayDeque<Item>> groups = new HashMap<>();
    final Map<MessageId, Item> dead = new LinkedHashMap<>();
    final Map<Bytes, Hold> dedup = new HashMap<>();

    /** Consumers that want to be woken, by their number: until when. */
    final Map<Long, Long> idle = new LinkedHashMap<>();

    final Map<Long, Remembered> claims = new HashMap<>();
    QueueSettings settings = QueueSettings.DEFAULT;
    int grouped;
    long plannedMillis = Expirations.NEVER;

    /** A deduplication key in force. */
    record Hold(MessageId id, long until) {}

    /** The last claim of one consumer. */
    record Remembered(RequestId id, Claim claim, long until) {}

    /** One message. */
    static final class Item {
        final MessageId id;
        final long sequence;
        final long enqueuedAt;
        Message message;
        MessageState state = MessageState.READY;
        int deliveries;
        int failures;
        int crashes;
        boolean spent;
        long due;
        long score;
        long deadline;

        @Nullable
        String reason;

        Bytes detail = Bytes.EMPTY;
        long diedAt;

        Item(MessageId id, long sequence, Message message, long now) {
            this.id = id;
            this.sequence = sequence;
            this.message = message;
            this.enqueuedAt = now;
        }

        Letter letter(long now) {
            return new Letter(
                    id,
                    state,
                    message.payload(),
                    deliveries,
                    failures,
                    crashes,
                    enqueuedAt,
                    Duration.ofNanos(Math.max(0, due - now) * 1_000),
                    Optional.ofNullable(reason),
                    detail,
                    diedAt);
        }
    }

    QueueSlot(QueueName name) {
        this.name = name;
    }

    void expire(long now) {
        if (!idle.isEmpty()) idle.values().removeIf(until -> until <= now);
        if (!claims.isEmpty()) claims.values().removeIf(claim -> claim.until <= now);
        if (!dedup.isEmpty()) dedup.values().removeIf(hold -> hold.until <= now);
    }

    // ---- places

    void toReady(Item item, long now, boolean freshScore) {
        item.state = MessageState.READY;
        if (freshScore) {
            item.due = Math.min(item.due, now);
            item.score = Math.floorDiv(now, 1_000L)
                    + item.message.band() * settings.ageing().toMillis();
        }
        ready.add(item);
    }

    void toDelayed(Item item, long due) {
        item.state = MessageState.DELAYED;
        item.due = due;
        delayed.add(item);
    }

    /** The moment has come: its place is that of its due time, not of its promotion. */
    void promote(Item item) {
        delayed.remove(item);
        item.state = MessageState.READY;
        item.score = Math.floorDiv(item.due, 1_000L)
                + item.message.band() * settings.ageing().toMillis();
        ready.add(item);
    }

    /** Out of the set that its state names; a message behind the head of its group stands in none. */
    void takeOut(Item item) {
        switch (item.state) {
            case READY -> ready.remove(item);
            case DELAYED -> delayed.remove(item);
            case RUNNING -> running.remove(item);
            default -> {}
        }
    }

    long bound() {
        return live.size();
    }

    QueueFigures figures(long now) {
        long oldest = ready.isEmpty()
                ? 0
                : ready.stream().mapToLong(item -> item.due).min().orElse(now);
        Duration age = ready.isEmpty() ? Duration.ZERO : Duration.ofNanos(Math.max(0, now - oldest) * 1_000);
        return new QueueFigures(ready.size(), delayed.size(), grouped, running.size(), dead.size(), age, settings);
    }

    /** When nothing but what may be forgotten is left, and until when that counts; never while there is a message. */
    long endMicros() {
        if (!live.isEmpty() || !dead.isEmpty() || !settings.equals(QueueSettings.DEFAULT)) return Expirations.NEVER;
        long end = 0;
        for (long until : idle.values()) end = Math.max(end, until);
        for (Remembered claim : claims.values()) end = Math.max(end, claim.until);
        for (Hold hold : dedup.values()) end = Math.max(end, hold.until);
        return end;
    }
}
