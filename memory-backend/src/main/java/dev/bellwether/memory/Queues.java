// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Receipt;
import dev.bellwether.spi.RequestId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The queues, and how messages are claimed from them. Every method needs the store's lock. */
final class Queues {
    /** Bounds of the work that one claim does for others, so that it stays short after any standstill. */
    private static final int MOST_REAPED = 50;

    private static final int MOST_PROMOTED = 100;

    private final Map<QueueName, QueueCell> cells = new HashMap<>();
    private final Expirations expirations;
    private final Bounds bounds;

    Queues(Expirations expirations, Bounds bounds) {
        this.expirations = expirations;
        this.bounds = bounds;
    }

    Claim claim(ClaimRequest request, Moment moment) {
        QueueCell queue = cell(request.queue());
        Claim known = queue.consumers().recall(request.id(), moment);
        if (known != null) return known;
        Claim claim = answer(request, queue, moment);
        if (request.id() != null) queue.consumers().remember(request.id(), claim, moment);
        keep(queue, moment);
        return claim;
    }

    @Nullable
    Obstacle obstacle(int index, QueueMutation mutation, Moment moment) {
        return QueueChanges.obstacle(index, mutation, cells.get(mutation.queue()), moment);
    }

    @Nullable
    Obstacle obstacle(int index, Receipt receipt) {
        QueueCell queue = cells.get(receipt.queue());
        if (queue != null && queue.current(receipt) != null) return null;
        return new Obstacle.Stale(index, receipt, QueueChanges.state(queue, receipt.id()));
    }

    Outcome apply(QueueMutation mutation, Moment moment) {
        QueueCell queue = cell(mutation.queue());
        Outcome outcome = QueueChanges.apply(mutation, queue, moment);
        dropIfEmpty(queue, moment);
        return outcome;
    }

    @Nullable
    QueueCell find(QueueName name) {
        return cells.get(name);
    }

    long size() {
        return cells.size();
    }

    void clear() {
        cells.clear();
    }

    void schedule(Expiring thing, long micros, Moment moment) {
        expirations.schedule(thing, micros, moment);
    }

    void cancel(Expiring thing) {
        expirations.cancel(thing);
    }

    void dropIfEmpty(QueueCell queue, Moment moment) {
        if (!queue.isEmpty()) return;
        expirations.cancel(queue);
        cells.remove(queue.name(), queue);
    }

    private Claim answer(ClaimRequest request, QueueCell queue, Moment moment) {
        if (request.id() != null && request.max() > 0)
            queue.consumers().unregister(request.id().process());
        List<Boolean> settled = settle(request, queue, moment);
        List<MessageId> buried = reap(queue, moment);
        promote(queue, moment);
        List<Claim.Handout> handouts = take(request, queue, moment);
        if (isAnythingToTake(queue) && queue.consumers().wakeOne(moment)) moment.hint(new Hint.Due(queue.name()));
        if (handouts.isEmpty() && request.max() > 0) register(request, queue, moment);
        return new Claim(settled, handouts, buried, nextDue(queue, moment), moment.time());
    }

    private static List<Boolean> settle(ClaimRequest request, QueueCell queue, Moment moment) {
        if (request.settle().isEmpty()) return List.of();
        List<Boolean> settled = new ArrayList<>(request.settle().size());
        for (QueueMutation.Settlement settlement : request.settle()) {
            settled.add(QueueChanges.settle(settlement, queue, moment));
        }
        return settled;
    }

    private static List<MessageId> reap(QueueCell queue, Moment moment) {
        List<MessageId> buried = new ArrayList<>(0);
        for (int reaped = 0; reaped < MOST_REAPED; reaped++) {
            Item lapsed = queue.running().first();
            if (lapsed == null || !moment.isPast(lapsed.rank)) break;
            lapsed.crashes++;
            if (lapsed.crashes > lapsed.crashPolicy.maxCrashes()) {
                queue.bury(lapsed, "crashed", Bytes.EMPTY, moment);
                buried.add(lapsed.id);
            } else {
                queue.wait(lapsed, lapsed.crashPolicy.delay(), moment);
            }
        }
        return buried;
    }

    private static void promote(QueueCell queue, Moment moment) {
        for (int promoted = 0; promoted < MOST_PROMOTED; promoted++) {
            Item first = queue.delayed().first();
            if (first == null || !moment.isPast(first.due)) return;
            queue.promote(first);
        }
    }

    private static List<Claim.Handout> take(ClaimRequest request, QueueCell queue, Moment moment) {
        if (queue.settings().paused()) return List.of();
        int count = Math.min(request.max(), queue.ready().size());
        if (count == 0) return List.of();
        long leaseEnd = moment.after(request.lease());
        List<Claim.Handout> handouts = new ArrayList<>(count);
        for (Item item = queue.ready().first(); item != null && handouts.size() < count; ) {
            handouts.add(queue.handOut(item, leaseEnd));
            item = queue.ready().first();
        }
        return handouts;
    }

    private static void register(ClaimRequest request, QueueCell queue, Moment moment) {
        RequestId id = request.id();
        if (id != null && !request.idle().isZero()) {
            queue.consumers().register(id.process(), moment.after(request.idle()));
        }
    }

    private static boolean isAnythingToTake(QueueCell queue) {
        return !queue.ready().isEmpty() && !queue.settings().paused();
    }

    private static Duration nextDue(QueueCell queue, Moment moment) {
        if (isAnythingToTake(queue)) return Duration.ZERO;
        Item delayed = queue.delayed().first();
        Item running = queue.running().first();
        if (delayed == null && running == null) return Claim.NOTHING_DUE;
        long next = Math.min(
                delayed == null ? Long.MAX_VALUE : delayed.rank, running == null ? Long.MAX_VALUE : running.rank);
        return moment.until(next);
    }

    private QueueCell cell(QueueName name) {
        return cells.computeIfAbsent(name, missing -> new QueueCell(this, missing, bounds));
    }

    private void keep(QueueCell queue, Moment moment) {
        if (queue.isEmpty()) {
            dropIfEmpty(queue, moment);
            return;
        }
        if (queue.bucket == null && !queue.consumers().isEmpty()) {
            expirations.schedule(queue, queue.consumers().lastEnd(), moment);
        }
    }
}
