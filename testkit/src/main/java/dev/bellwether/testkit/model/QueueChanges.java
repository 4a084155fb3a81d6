// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Bury;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueMutation.Extend;
import dev.bellwether.spi.QueueMutation.Move;
import dev.bellwether.spi.QueueMutation.Remove;
import dev.bellwether.spi.QueueMutation.Retry;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.spi.QueueMutation.Tune;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The queue mutations of a commit but for the enqueue; settlements also serve claims. */
final class QueueChanges {
    private QueueChanges() {}

    static @Nullable Obstacle obstacle(Moment moment, int index, QueueMutation mutation) {
        if (mutation instanceof Enqueue enqueue) return Enqueuing.obstacle(moment, index, enqueue);
        QueueCell queue = moment.queue(mutation.queue());
        if (mutation instanceof Settlement settlement) {
            return maySettle(queue, settlement) ? null : queue.stale(index, settlement.receipt());
        }
        MessageState place = MessageState.READY;
        if (mutation instanceof Move move) place = queue.stateOf(move.id());
        if (mutation instanceof Remove remove) place = queue.stateOf(remove.id());
        if (place == MessageState.RUNNING) return new Obstacle.Unfit(index, "the message is running");
        if (place == MessageState.GONE) return new Obstacle.Unfit(index, "there is no such message");
        return null;
    }

    private static boolean maySettle(QueueCell queue, Settlement settlement) {
        Item item = queue.current(settlement.receipt());
        return item != null && (!(settlement instanceof Extend) || item.place == MessageState.RUNNING);
    }

    static void apply(Moment moment, QueueMutation mutation) {
        QueueCell queue = moment.queue(mutation.queue());
        QueueCell.Prospect before = queue.prospect();
        if (mutation instanceof Settlement settlement) settle(moment, queue, settlement);
        if (mutation instanceof Move move) move(moment, queue, Objects.requireNonNull(queue.find(move.id())), move);
        if (mutation instanceof Remove remove) {
            Item item = Objects.requireNonNull(queue.find(remove.id()));
            queue.releaseKey(item);
            queue.remove(item, moment.now());
        }
        if (mutation instanceof Tune tune) queue.settings = tune.settings();
        queue.wakeAfter(moment, before);
    }

    /** False, and nothing changed, if the receipt is stale. */
    static boolean settle(Moment moment, QueueCell queue, Settlement settlement) {
        if (!maySettle(queue, settlement)) return false;
        Item item = Objects.requireNonNull(queue.current(settlement.receipt()));
        if (settlement instanceof Ack) queue.remove(item, moment.now());
        if (settlement instanceof Retry retry) retry(moment, queue, item, retry);
        if (settlement instanceof Extend extend) item.leaseEnds = moment.end(extend.lease());
        if (settlement instanceof Bury bury) {
            item.spent = true;
            queue.bury(item, bury.reason(), bury.detail(), moment.now());
        }
        return true;
    }

    private static void retry(Moment moment, QueueCell queue, Item item, Retry retry) {
        item.spent = true;
        if (retry.failed()) item.failures++;
        boolean asIfNeverTaken = !retry.failed() && retry.delay().isZero();
        if (asIfNeverTaken) {
            item.due = Math.min(item.due, moment.now());
            queue.putBack(item, moment.now());
            return;
        }
        item.due = moment.end(retry.delay());
        queue.place(item, moment.now());
    }

    private static void move(Moment moment, QueueCell queue, Item item, Move move) {
        boolean wasDead = !item.isLive();
        item.due = moment.end(move.delay());
        if (!wasDead) {
            queue.place(item, moment.now());
            return;
        }
        item.failures = 0;
        item.crashes = 0;
        item.reason = null;
        item.detail = Bytes.EMPTY;
        item.diedAt = 0;
        queue.join(item, moment.now());
    }
}
