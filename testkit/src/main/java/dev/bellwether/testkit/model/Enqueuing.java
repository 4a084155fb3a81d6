// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Message.Dedup;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.QueueMutation.Enqueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Adding messages: deduplication, groups, the bound, and whom to wake. */
final class Enqueuing {
    private Enqueuing() {}

    static @Nullable Obstacle obstacle(Moment moment, int index, Enqueue enqueue) {
        QueueCell queue = moment.queue(enqueue.queue());
        long room = Math.max(0, enqueue.bound() - queue.live());
        return additions(queue, enqueue.messages()) + queue.live() <= enqueue.bound()
                ? null
                : new Obstacle.QueueFull(index, enqueue.queue(), room);
    }

    /** How many of them are no duplicates, neither of what is there nor of each other. */
    private static long additions(QueueCell queue, List<Message> messages) {
        Set<Bytes> taken = new HashSet<>(queue.keys.keySet());
        return messages.stream()
                .filter(message ->
                        message.dedup() == null || taken.add(message.dedup().key()))
                .count();
    }

    static Outcome enqueue(Moment moment, Enqueue enqueue) {
        QueueCell queue = moment.queue(enqueue.queue());
        QueueCell.Prospect before = queue.prospect();
        List<MessageId> ids = new ArrayList<>();
        Set<Integer> duplicates = new HashSet<>();
        for (Message message : enqueue.messages()) {
            Dedup dedup = message.dedup();
            QueueCell.Key key = dedup == null ? null : queue.keys.get(dedup.key());
            if (dedup == null || key == null) {
                ids.add(add(moment, queue, message));
                continue;
            }
            if (dedup.mode() == Dedup.Mode.REPLACE) replace(moment, queue, key.id(), message);
            duplicates.add(ids.size());
            ids.add(key.id());
        }
        queue.wakeAfter(moment, before);
        return new Outcome.Enqueued(ids, duplicates);
    }

    private static MessageId add(Moment moment, QueueCell queue, Message message) {
        // Never below the clock, so that a store which lost everything does not use an id again.
        queue.lastId = Math.max(queue.lastId + 1, moment.now());
        MessageId id = new MessageId(Long.toString(queue.lastId));
        Item item = new Item(id, message, moment.now());
        item.due = moment.end(message.delay());
        queue.items.put(id, item);
        queue.join(item, moment.now());
        if (message.dedup() != null) {
            queue.keys.put(
                    message.dedup().key(),
                    new QueueCell.Key(id, moment.end(message.dedup().window())));
        }
        return id;
    }

    private static void replace(Moment moment, QueueCell queue, MessageId id, Message message) {
        Item item = queue.find(id);
        if (item == null || !item.isLive() || item.place == MessageState.RUNNING) return;
        item.payload = message.payload();
        item.due = moment.end(message.delay());
        queue.place(item, moment.now());
    }
}
