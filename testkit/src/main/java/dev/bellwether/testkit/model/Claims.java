// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.RequestId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Settling, reaping, promoting and taking, in this order and in one step. */
final class Claims {
    private static final int MOST_REAPED = 50;
    private static final int MOST_PROMOTED = 100;

    private Claims() {}

    static Claim claim(Moment moment, ClaimRequest request) {
        QueueCell queue = moment.queue(request.queue());
        Claim known = remembered(queue, request.id());
        if (known != null) return known;
        List<Boolean> settled = request.settle().stream()
                .map(settlement -> QueueChanges.settle(moment, queue, settlement))
                .toList();
        List<MessageId> buried = reap(moment, queue);
        promote(moment, queue);
        List<Claim.Handout> taken = queue.settings.paused() ? List.of() : take(moment, queue, request);
        wakeAnother(moment, queue, request);
        if (taken.isEmpty()) register(moment, queue, request);
        Claim reply = new Claim(settled, taken, buried, nextDue(moment, queue), moment.time());
        if (request.id() != null) {
            queue.claims.put(
                    request.id().process(), new QueueCell.LastClaim(request.id(), reply, moment.end(Commits.MEMORY)));
        }
        return reply;
    }

    private static @Nullable Claim remembered(QueueCell queue, @Nullable RequestId id) {
        QueueCell.LastClaim last = id == null ? null : queue.claims.get(id.process());
        return last == null || !last.id().equals(id) ? null : last.reply();
    }

    private static Stream<Item> lapsed(QueueCell queue, long now) {
        return queue.in(MessageState.RUNNING).filter(item -> item.leaseEnds <= now);
    }

    private static Stream<Item> promotable(QueueCell queue, long now) {
        return queue.in(MessageState.DELAYED).filter(item -> item.isDue(now));
    }

    /** Takes back what lapsed, and answers what died of it. */
    private static List<MessageId> reap(Moment moment, QueueCell queue) {
        List<MessageId> buried = new ArrayList<>();
        List<Item> lapsed = lapsed(queue, moment.now())
                .sorted(Comparator.comparingLong((Item item) -> item.leaseEnds))
                .limit(MOST_REAPED)
                .toList();
        for (Item item : lapsed) {
            item.crashes++;
            if (item.crashes > item.message.crashes().maxCrashes()) {
                queue.bury(item, "crashed", Bytes.EMPTY, moment.now());
                buried.add(item.id);
            } else {
                item.due = moment.end(item.message.crashes().delay());
                queue.place(item, moment.now());
            }
        }
        return buried;
    }

    private static void promote(Moment moment, QueueCell queue) {
        promotable(queue, moment.now())
                .sorted(Comparator.comparingLong((Item item) -> item.due))
                .limit(MOST_PROMOTED)
                .toList()
                .forEach(item -> item.becomeReady(queue.settings.ageing()));
    }

    private static List<Claim.Handout> take(Moment moment, QueueCell queue, ClaimRequest request) {
        List<Item> taken = queue.in(MessageState.READY)
                .sorted(Comparator.comparingLong((Item item) -> item.score))
                .limit(request.max())
                .toList();
        for (Item item : taken) {
            item.deliveries++;
            item.spent = false;
            item.place = MessageState.RUNNING;
            item.leaseEnds = moment.end(request.lease());
        }
        return taken.stream().map(item -> item.handout(queue.name)).toList();
    }

    private static void wakeAnother(Moment moment, QueueCell queue, ClaimRequest request) {
        if (request.id() != null && request.max() > 0) {
            queue.waiters.remove(request.id().process());
        }
        boolean more = queue.in(MessageState.READY).findAny().isPresent() && !queue.settings.paused();
        if (more) queue.wake(moment, 1);
    }

    private static void register(Moment moment, QueueCell queue, ClaimRequest request) {
        if (request.max() == 0 || request.idle().isZero()) return;
        long consumer = Objects.requireNonNull(request.id()).process();
        queue.waiters.put(consumer, new QueueCell.Waiter(moment.client(), moment.end(request.idle())));
    }

    private static Duration nextDue(Moment moment, QueueCell queue) {
        boolean more = lapsed(queue, moment.now()).findAny().isPresent()
                || promotable(queue, moment.now()).findAny().isPresent();
        boolean ready = queue.in(MessageState.READY).findAny().isPresent() && !queue.settings.paused();
        if (more || ready) return Duration.ZERO;
        long firstLapse = queue.in(MessageState.RUNNING)
                .mapToLong(item -> item.leaseEnds)
                .min()
                .orElse(Long.MAX_VALUE);
        long first = Math.min(firstLapse, queue.earliestDelayed());
        return first == Long.MAX_VALUE ? Claim.NOTHING_DUE : moment.until(first);
    }
}
