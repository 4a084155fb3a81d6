// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.QueueMutation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the mutations of queues do. Needs the store's lock. */
final class QueueChanges {
    /** More consumers are woken by those that find more than they can take. */
    private static final int MOST_WOKEN = 8;

    private QueueChanges() {}

    /** What stands in the way of the mutation, or null. */
    static @Nullable Obstacle obstacle(int index, QueueMutation mutation, @Nullable QueueCell queue, Moment moment) {
        if (mutation instanceof QueueMutation.Tune) return null;
        if (mutation instanceof QueueMutation.Enqueue enqueue) return full(index, enqueue, queue, moment);
        if (mutation instanceof QueueMutation.Settlement settlement) {
            return mayTakeEffect(settlement, queue) ? null : stale(index, settlement, queue);
        }
        MessageId id = mutation instanceof QueueMutation.Move move ? move.id() : ((QueueMutation.Remove) mutation).id();
        Item item = queue == null ? null : queue.item(id);
        if (item != null && item.state != MessageState.RUNNING) return null;
        return new Obstacle.Unfit(
                index,
                "message " + id.value() + " of queue " + mutation.queue().name() + " is "
                        + (item == null ? "unknown" : "running"));
    }

    static Outcome apply(QueueMutation mutation, QueueCell queue, Moment moment) {
        long arrivals = queue.arrivals();
        Item earliest = queue.delayed().first();
        Outcome outcome = change(mutation, queue, moment);
        wake(queue, queue.arrivals() - arrivals, earliest, moment);
        return outcome;
    }

    /** False if the receipt is stale, and then nothing changed. */
    static boolean settle(QueueMutation.Settlement settlement, QueueCell queue, Moment moment) {
        if (!mayTakeEffect(settlement, queue)) return false;
        Item item = queue.current(settlement.receipt());
        if (item != null) settle(settlement, item, queue, moment);
        return true;
    }

    static MessageState state(@Nullable QueueCell queue, MessageId id) {
        Item item = queue == null ? null : queue.item(id);
        return item == null ? MessageState.GONE : item.state;
    }

    private static Outcome change(QueueMutation mutation, QueueCell queue, Moment moment) {
        if (mutation instanceof QueueMutation.Enqueue enqueue) return enqueue(enqueue.messages(), queue, moment);
        if (mutation instanceof QueueMutation.Settlement settlement) settle(settlement, queue, moment);
        else if (mutation instanceof QueueMutation.Move move) move(move, queue, moment);
        else if (mutation instanceof QueueMutation.Remove remove) remove(remove, queue, moment);
        else if (mutation instanceof QueueMutation.Tune tune) tune(tune, queue, moment);
        return Outcome.DONE;
    }

    private static void settle(QueueMutation.Settlement settlement, Item item, QueueCell queue, Moment moment) {
        if (settlement instanceof QueueMutation.Ack) {
            queue.end(item, moment);
        } else if (settlement instanceof QueueMutation.Retry retry) {
            retry(retry, item, queue, moment);
        } else if (settlement instanceof QueueMutation.Bury bury) {
            item.spent = true;
            queue.bury(item, bury.reason(), bury.detail(), moment);
        } else if (settlement instanceof QueueMutation.Extend extend) {
            queue.extend(item, moment.after(extend.lease()));
        }
    }

    private static void retry(QueueMutation.Retry retry, Item item, QueueCell queue, Moment moment) {
        item.spent = true;
        if (retry.failed()) item.failures++;
        if (retry.failed() || !retry.delay().isZero()) queue.wait(item, retry.delay(), moment);
        else queue.putBack(item, moment);
    }

    private static void move(QueueMutation.Move move, QueueCell queue, Moment moment) {
        Item item = queue.item(move.id());
        if (item == null) return;
        if (item.isDead()) queue.revive(item, move.delay(), moment);
        else queue.wait(item, move.delay(), moment);
    }

    private static void remove(QueueMutation.Remove remove, QueueCell queue, Moment moment) {
        Item item = queue.item(remove.id());
        if (item == null) return;
        queue.releaseKey(item, moment);
        queue.end(item, moment);
    }

    /** Those who waited while the queue was paused are woken as if all that is ready had just come. */
    private static void tune(QueueMutation.Tune tune, QueueCell queue, Moment moment) {
        boolean resumed = queue.settings().paused() && !tune.settings().paused();
        queue.tune(tune.settings());
        if (resumed) wakeMany(queue, queue.ready().size(), moment);
    }

    private static Outcome enqueue(List<Message> messages, QueueCell queue, Moment moment) {
        List<MessageId> ids = new ArrayList<>(messages.size());
        Set<Integer> duplicates = new HashSet<>();
        for (Message message : messages) {
            DedupKey held = heldKey(message, queue, moment);
            if (held == null) {
                ids.add(queue.add(message, moment).id);
                continue;
            }
            duplicates.add(ids.size());
            ids.add(held.holder().id);
            replace(message, held.holder(), queue, moment);
        }
        return new Outcome.Enqueued(ids, duplicates);
    }

    private static void replace(Message message, Item first, QueueCell queue, Moment moment) {
        Message.Dedup dedup = message.dedup();
        if (dedup == null || dedup.mode() != Message.Dedup.Mode.REPLACE || !first.isWaiting()) return;
        queue.replace(first, message.payload(), message.delay(), moment);
    }

    private static @Nullable Obstacle full(
            int index, QueueMutation.Enqueue enqueue, @Nullable QueueCell queue, Moment moment) {
        if (enqueue.bound() == QueueMutation.Enqueue.UNBOUNDED) return null;
        long live = queue == null ? 0 : queue.live();
        if (live + fresh(enqueue.messages(), queue, moment) <= enqueue.bound()) return null;
        return new Obstacle.QueueFull(index, enqueue.queue(), Math.max(0, enqueue.bound() - live));
    }

    private static int fresh(List<Message> messages, @Nullable QueueCell queue, Moment moment) {
        Set<Bytes> seen = new HashSet<>();
        int fresh = 0;
        for (Message message : messages) {
            boolean known = queue != null && heldKey(message, queue, moment) != null;
            Message.Dedup dedup = message.dedup();
            if (!known && (dedup == null || seen.add(dedup.key()))) fresh++;
        }
        return fresh;
    }

    private static @Nullable DedupKey heldKey(Message message, QueueCell queue, Moment moment) {
        Message.Dedup dedup = message.dedup();
        return dedup == null ? null : queue.heldKey(dedup.key(), moment);
    }

    private static boolean mayTakeEffect(QueueMutation.Settlement settlement, @Nullable QueueCell queue) {
        Item item = queue == null ? null : queue.current(settlement.receipt());
        return item != null && (!(settlement instanceof QueueMutation.Extend) || item.state == MessageState.RUNNING);
    }

    private static Obstacle stale(int index, QueueMutation.Settlement settlement, @Nullable QueueCell queue) {
        MessageId id = settlement.receipt().id();
        return new Obstacle.Stale(index, settlement.receipt(), state(queue, id));
    }

    private static void wake(QueueCell queue, long arrived, @Nullable Item earliest, Moment moment) {
        if (arrived > 0) wakeMany(queue, arrived, moment);
        else if (isEarlier(queue.delayed().first(), earliest)
                && queue.consumers().anyWaits(moment)) {
            moment.hint(new Hint.Due(queue.name()));
        }
    }

    private static void wakeMany(QueueCell queue, long arrived, Moment moment) {
        for (long left = Math.min(arrived, MOST_WOKEN);
                left > 0 && queue.consumers().wakeOne(moment);
                left--) {
            moment.hint(new Hint.Due(queue.name()));
        }
    }

    private static boolean isEarlier(@Nullable Item now, @Nullable Item before) {
        return now != null && now != before && (before == null || now.rank < before.rank);
    }
}
