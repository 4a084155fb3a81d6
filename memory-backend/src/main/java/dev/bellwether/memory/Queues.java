// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.error.RejectedException;
import dev.bellwether.memory.MemoryBackend.HintList;
import dev.bellwether.memory.QueueSlot.Item;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.Inspection.Letter;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Message.Dedup;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
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
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Receipt;
import dev.bellwether.spi.RequestId;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Queues and their messages. Under the store's lock. The rules stand in docs/design/spi-semantics.md. */
final class Queues {
    private static final int MOST_REAPS = 50;
    private static final int MOST_PROMOTIONS = 100;
    private static final int MOST_WOKEN = 8;
    private static final long CLAIM_KEPT_MICROS = RequestMemory.KEPT_MILLIS * 1_000;

    private final Map<QueueName, QueueSlot> slots = new HashMap<>();
    private final Expirations expirations;
    private final Quota quota;
    private final ToLongFunction<Integer> ticks;

    Queues(Expirations expirations, Quota quota, ToLongFunction<Integer> ticks) {
        this.expirations = expirations;
        this.quota = quota;
        this.ticks = ticks;
    }

    private QueueSlot slot(QueueName name, long now) {
        QueueSlot slot = slots.computeIfAbsent(name, QueueSlot::new);
        slot.expire(now);
        return slot;
    }

    private @Nullable QueueSlot known(QueueName name, long now) {
        QueueSlot slot = slots.get(name);
        if (slot != null) slot.expire(now);
        return slot;
    }

    private void settle(QueueSlot slot, long now) {
        long end = slot.endMicros();
        if (end <= now) slots.remove(slot.name, slot);
        long endMillis = end <= now || end == Expirations.NEVER ? Expirations.NEVER : end / 1_000 + 1;
        if (endMillis == slot.plannedMillis) return;
        expirations.remove(slot.name, slot.plannedMillis);
        expirations.add(slot.name, endMillis);
        slot.plannedMillis = endMillis;
    }

    void reclaim(QueueName name, long now) {
        QueueSlot slot = known(name, now);
        if (slot == null) return;
        slot.plannedMillis = Expirations.NEVER;
        settle(slot, now);
    }

    // ---- judging

    private @Nullable Item current(Receipt receipt, long now) {
        QueueSlot slot = known(receipt.queue(), now);
        Item item = slot == null ? null : slot.live.get(receipt.id());
        return item != null && item.deliveries == receipt.delivery() && !item.spent ? item : null;
    }

    private MessageState state(QueueName queue, MessageId id, long now) {
        QueueSlot slot = known(queue, now);
        if (slot == null) return MessageState.GONE;
        Item item = slot.live.get(id);
        if (item != null) return item.state;
        return slot.dead.containsKey(id) ? MessageState.DEAD : MessageState.GONE;
    }

    @Nullable
    Obstacle judge(int index, Check.Current current, long now) {
        return current(current.receipt(), now) != null ? null : stale(index, current.receipt(), now);
    }

    private Obstacle stale(int index, Receipt receipt, long now) {
        return new Obstacle.Stale(index, receipt, state(receipt.queue(), receipt.id(), now));
    }

    @Nullable
    Obstacle judge(int index, QueueMutation mutation, long now) {
        if (mutation instanceof Settlement settlement) {
            return isCurrent(settlement, now) ? null : stale(index, settlement.receipt(), now);
        }
        if (mutation instanceof Enqueue enqueue) return judgeEnqueue(index, enqueue, now);
        if (mutation instanceof Move move) return judgeIdle(index, move.queue(), move.id(), now);
        if (mutation instanceof Remove remove) return judgeIdle(index, remove.queue(), remove.id(), now);
        return null;
    }

    private boolean isCurrent(Settlement settlement, long now) {
        Item item = current(settlement.receipt(), now);
        return item != null && (!(settlement instanceof Extend) || item.state == MessageState.RUNNING);
    }

    private @Nullable Obstacle judgeIdle(int index, QueueName queue, MessageId id, long now) {
        MessageState state = state(queue, id, now);
        return state == MessageState.RUNNING || state == MessageState.GONE
                ? new Obstacle.Unfit(
                        index,
                        "message " + id.value() + " of " + queue.name() + " is "
                                + (state == MessageState.GONE ? "unknown" : "running"))
                : null;
    }

    private @Nullable Obstacle judgeEnqueue(int index, Enqueue enqueue, long now) {
        QueueSlot slot = known(enqueue.queue(), now);
        long fresh = 0;
        long bytes = 0;
        Set<Bytes> keys = new HashSet<>();
        for (Message message : enqueue.messages()) {
            Dedup dedup = message.dedup();
            boolean duplicate =
                    dedup != null && ((slot != null && slot.dedup.containsKey(dedup.key())) || !keys.add(dedup.key()));
            if (duplicate) continue;
            fresh++;
            bytes += message.payload().length();
        }
        long room = enqueue.bound() - (slot == null ? 0 : slot.bound());
        if (fresh > room) return new Obstacle.QueueFull(index, enqueue.queue(), Math.max(0, room));
        String refusal = quota.isBounded() ? quota.refusal(fresh, bytes) : null;
        if (refusal != null) {
            throw new RejectedException("cannot enqueue in " + enqueue.queue().name() + ": " + refusal, null);
        }
        return null;
    }

    // ---- changing

    Outcome apply(QueueMutation mutation, long now, HintList hints) {
        QueueSlot slot = slot(mutation.queue(), now);
        Outcome outcome = Outcome.DONE;
        if (mutation instanceof Enqueue enqueue) {
            outcome = enqueue(slot, enqueue.messages(), now, hints);
        } else if (mutation instanceof Settlement settlement) {
            settleOne(slot, settlement, now, hints);
        } else if (mutation instanceof Move move) {
            move(slot, move, now, hints);
        } else if (mutation instanceof Remove remove) {
            remove(slot, remove.id(), now, hints);
        } else if (mutation instanceof Tune tune) {
            boolean resumed = slot.settings.paused() && !tune.settings().paused();
            slot.settings = tune.settings();
            if (resumed) wakeAll(slot, hints);
        }
        settle(slot, now);
        return outcome;
    }

    private Outcome enqueue(QueueSlot slot, List<Message> messages, long now, HintList hints) {
        List<MessageId> ids = new ArrayList<>(messages.size());
        Set<Integer> duplicates = new HashSet<>();
        long sequence = ticks.applyAsLong(messages.size());
        long earliest = slot.delayed.isEmpty() ? Long.MAX_VALUE : slot.delayed.first().due;
        int readyBefore = slot.ready.size();
        for (int i = 0; i < messages.size(); i++, sequence++) {
            Message message = messages.get(i);
            Dedup dedup = message.dedup();
            QueueSlot.Hold held = dedup == null ? null : slot.dedup.get(dedup.key());
            if (dedup != null && held != null) {
                duplicates.add(i);
                ids.add(held.id());
                if (dedup.mode() == Dedup.Mode.REPLACE) replace(slot, held.id(), message, now);
                continue;
            }
            Item item = new Item(new MessageId(id(sequence)), sequence, message, now);
            if (dedup != null) {
                slot.dedup.put(dedup.key(), new QueueSlot.Hold(item.id, now + micros(dedup.window())));
            }
            slot.live.put(item.id, item);
            quota.add(1, message.payload().length());
            ids.add(item.id);
            item.due = now + micros(message.delay());
            place(slot, item, now);
        }
        wake(slot, slot.ready.size() - readyBefore, hints);
        if (!slot.delayed.isEmpty() && slot.delayed.first().due < earliest) hintOne(slot, hints);
        return new Outcome.Enqueued(ids, duplicates);
    }

    private static String id(long sequence) {
        return String.format("%016d", sequence);
    }

    /** Behind the head of its group, else by its due time. */
    private static void place(QueueSlot slot, Item item, long now) {
        Bytes group = item.message.group();
        if (group != null) {
            ArrayDeque<Item> members = slot.groups.computeIfAbsent(group, unknown -> new ArrayDeque<>());
            members.add(item);
            if (members.peek() != item) {
                item.state = MessageState.GROUPED;
                slot.grouped++;
                return;
            }
        }
        byDueTime(slot, item, now);
    }

    private static void byDueTime(QueueSlot slot, Item item, long now) {
        if (item.due <= now) {
            item.state = MessageState.READY;
            item.score = Math.floorDiv(item.due, 1_000L)
                    + item.message.band() * slot.settings.ageing().toMillis();
            slot.ready.add(item);
        } else {
            slot.toDelayed(item, item.due);
        }
    }

    private void replace(QueueSlot slot, MessageId id, Message message, long now) {
        Item item = slot.live.get(id);
        if (item == null || item.state == MessageState.RUNNING) return;
        quota.add(0, (long) message.payload().length() - item.message.payload().length());
        slot.takeOut(item);
        item.message = new Message(
                message.payload(),
                message.delay(),
                item.message.band(),
                item.message.group(),
                item.message.dedup(),
                item.message.crashes());
        item.due = now + micros(message.delay());
        if (item.state != MessageState.GROUPED) byDueTime(slot, item, now);
    }

    private void settleOne(QueueSlot slot, Settlement settlement, long now, HintList hints) {
        Item item = current(settlement.receipt(), now);
        if (item == null) return;
        if (settlement instanceof Extend extend) {
            slot.running.remove(item);
            item.deadline = now + micros(extend.lease());
            slot.running.add(item);
        } else if (settlement instanceof Ack) {
            slot.takeOut(item);
            gone(slot, item, now, hints);
        } else if (settlement instanceof Retry retry) {
            retry(slot, item, retry, now, hints);
        } else if (settlement instanceof Bury bury) {
            slot.takeOut(item);
            bury(slot, item, bury.reason(), bury.detail(), now, hints);
        }
    }

    private void retry(QueueSlot slot, Item item, Retry retry, long now, HintList hints) {
        slot.takeOut(item);
        item.spent = true;
        if (retry.failed()) item.failures++;
        if (retry.delay().isZero()) {
            slot.toReady(item, now, retry.failed());
            wake(slot, 1, hints);
        } else {
            long earliest = slot.delayed.isEmpty() ? Long.MAX_VALUE : slot.delayed.first().due;
            slot.toDelayed(item, now + micros(retry.delay()));
            if (item.due < earliest) hintOne(slot, hints);
        }
    }

    private void gone(QueueSlot slot, Item item, long now, HintList hints) {
        slot.live.remove(item.id);
        quota.add(-1, -item.message.payload().length());
        nextOfGroup(slot, item, now, hints);
    }

    private void nextOfGroup(QueueSlot slot, Item item, long now, HintList hints) {
        Bytes group = item.message.group();
        ArrayDeque<Item> members = group == null ? null : slot.groups.get(group);
        if (group == null || members == null) return;
        if (members.peek() != item) {
            if (members.remove(item)) slot.grouped--;
            return;
        }
        members.remove();
        Item next = members.peek();
        if (next == null) {
            slot.groups.remove(group);
            return;
        }
        slot.grouped--;
        byDueTime(slot, next, now);
        if (next.state == MessageState.READY) wake(slot, 1, hints);
        else if (slot.delayed.first() == next) hintOne(slot, hints);
    }

    private void bury(QueueSlot slot, Item item, String reason, Bytes detail, long now, HintList hints) {
        item.spent = true;
        item.reason = reason;
        item.detail = detail;
        item.diedAt = now;
        releaseDedup(slot, item);
        slot.live.remove(item.id);
        nextOfGroup(slot, item, now, hints);
        item.state = MessageState.DEAD;
        slot.dead.put(item.id, item);
    }

    private static void releaseDedup(QueueSlot slot, Item item) {
        Dedup dedup = item.message.dedup();
        if (dedup == null) return;
        QueueSlot.Hold held = slot.dedup.get(dedup.key());
        if (held != null && held.id().equals(item.id)) slot.dedup.remove(dedup.key());
    }

    private void move(QueueSlot slot, Move move, long now, HintList hints) {
        Item buried = slot.dead.remove(move.id());
        Item item = buried != null ? buried : slot.live.get(move.id());
        if (item == null) return;
        item.due = now + micros(move.delay());
        if (buried != null) {
            item.failures = 0;
            item.crashes = 0;
            item.reason = null;
            item.detail = Bytes.EMPTY;
            item.diedAt = 0;
            slot.live.put(item.id, item);
            place(slot, item, now);
        } else {
            slot.takeOut(item);
            if (item.state != MessageState.GROUPED) byDueTime(slot, item, now);
        }
        if (item.state == MessageState.READY) wake(slot, 1, hints);
        else if (item.state == MessageState.DELAYED && slot.delayed.first() == item) hintOne(slot, hints);
    }

    private void remove(QueueSlot slot, MessageId id, long now, HintList hints) {
        Item buried = slot.dead.remove(id);
        if (buried != null) {
            quota.add(-1, -buried.message.payload().length());
            return;
        }
        Item item = slot.live.get(id);
        if (item == null) return;
        slot.takeOut(item);
        releaseDedup(slot, item);
        gone(slot, item, now, hints);
    }

    private static long micros(Duration length) {
        return Durations.millis(length) * 1_000;
    }

    // ---- waking

    private static void wake(QueueSlot slot, int ready, HintList hints) {
        if (slot.settings.paused()) return;
        Iterator<Long> waiting = slot.idle.keySet().iterator();
        for (int woken = 0; woken < Math.min(ready, MOST_WOKEN) && waiting.hasNext(); woken++) {
            waiting.next();
            waiting.remove();
            hints.add(new Hint.Due(slot.name));
        }
    }

    private static void wakeAll(QueueSlot slot, HintList hints) {
        if (slot.idle.isEmpty()) return;
        slot.idle.clear();
        hints.add(new Hint.Due(slot.name));
    }

    private static void hintOne(QueueSlot slot, HintList hints) {
        if (!slot.idle.isEmpty()) hints.add(new Hint.Due(slot.name));
    }

    // ---- claiming

    Claim claim(ClaimRequest request, long now, HintList hints) {
        QueueSlot slot = slot(request.queue(), now);
        RequestId id = request.id();
        if (id != null) {
            QueueSlot.Remembered last = slot.claims.get(id.process());
            if (last != null && last.id().equals(id)) return last.claim();
        }
        List<Boolean> settled = new ArrayList<>(request.settle().size());
        for (Settlement settlement : request.settle()) {
            boolean current = isCurrent(settlement, now);
            if (current) settleOne(slot, settlement, now, hints);
            settled.add(current);
        }
        List<MessageId> buried = reap(slot, now, hints);
        promote(slot, now);
        List<Claim.Handout> handouts = take(slot, request, now);
        if (!handouts.isEmpty() && !slot.ready.isEmpty()) wake(slot, 1, hints);
        if (id != null && request.max() > 0) {
            slot.idle.remove(id.process());
            if (handouts.isEmpty() && !request.idle().isZero())
                slot.idle.put(id.process(), now + micros(request.idle()));
        }
        Claim claim = new Claim(settled, handouts, buried, nextDue(slot, now), StoreTime.exact(now));
        if (id != null) slot.claims.put(id.process(), new QueueSlot.Remembered(id, claim, now + CLAIM_KEPT_MICROS));
        settle(slot, now);
        return claim;
    }

    private List<MessageId> reap(QueueSlot slot, long now, HintList hints) {
        List<MessageId> buried = new ArrayList<>(0);
        for (int reaps = 0; reaps < MOST_REAPS && !slot.running.isEmpty(); reaps++) {
            Item item = slot.running.first();
            if (item.deadline > now) break;
            slot.running.remove(item);
            item.crashes++;
            Message.CrashPolicy policy = item.message.crashes();
            if (item.crashes > policy.maxCrashes()) {
                bury(slot, item, "crashed", Bytes.EMPTY, now, hints);
                buried.add(item.id);
            } else if (policy.delay().isZero()) {
                slot.toReady(item, now, true);
            } else {
                slot.toDelayed(item, now + micros(policy.delay()));
            }
        }
        return buried;
    }

    private static void promote(QueueSlot slot, long now) {
        for (int promotions = 0; promotions < MOST_PROMOTIONS && !slot.delayed.isEmpty(); promotions++) {
            Item item = slot.delayed.first();
            if (item.due > now) return;
            slot.promote(item);
        }
    }

    private static List<Claim.Handout> take(QueueSlot slot, ClaimRequest request, long now) {
        if (slot.settings.paused() || request.max() == 0 || slot.ready.isEmpty()) return List.of();
        List<Claim.Handout> handouts = new ArrayList<>(Math.min(request.max(), slot.ready.size()));
        while (handouts.size() < request.max() && !slot.ready.isEmpty()) {
            Item item = java.util.Objects.requireNonNull(slot.ready.pollFirst());
            item.state = MessageState.RUNNING;
            item.deliveries++;
            item.spent = false;
            item.deadline = now + micros(request.lease());
            slot.running.add(item);
            Receipt receipt = new Receipt(slot.name, item.id, item.deliveries);
            handouts.add(new Claim.Handout(receipt, item.message.payload(), item.failures, item.crashes));
        }
        return handouts;
    }

    private static Duration nextDue(QueueSlot slot, long now) {
        if (!slot.ready.isEmpty() && !slot.settings.paused()) return Duration.ZERO;
        long next = Long.MAX_VALUE;
        if (!slot.delayed.isEmpty()) next = slot.delayed.first().due;
        if (!slot.running.isEmpty()) next = Math.min(next, slot.running.first().deadline);
        return next == Long.MAX_VALUE ? Claim.NOTHING_DUE : Duration.ofNanos(Math.max(0, next - now) * 1_000);
    }

    // ---- looking

    Inspection.QueueFigures figures(QueueName name, long now) {
        QueueSlot slot = known(name, now);
        return (slot == null ? new QueueSlot(name) : slot).figures(now);
    }

    List<Letter> letters(Inspection.Messages what, long now) {
        QueueSlot slot = known(what.queue(), now);
        if (slot == null) return List.of();
        Collection<Item> all = switch (what.state()) {
            case READY -> slot.ready;
            case DELAYED -> slot.delayed;
            case RUNNING -> slot.running;
            case DEAD -> slot.dead.values();
            case GROUPED ->
                slot.live.values().stream()
                        .filter(item -> item.state == MessageState.GROUPED)
                        .sorted(java.util.Comparator.comparingLong(item -> item.sequence))
                        .toList();
            case GONE -> List.of();
        };
        List<Letter> page = new ArrayList<>();
        boolean begun = what.after() == null;
        for (Item item : all) {
            if (page.size() == what.limit()) break;
            if (begun) page.add(item.letter(now));
            else begun = item.id.equals(what.after());
        }
        return page;
    }

    Optional<Letter> letter(Inspection.OneMessage what, long now) {
        QueueSlot slot = known(what.queue(), now);
        if (slot == null) return Optional.empty();
        Item item = slot.live.get(what.id());
        if (item == null) item = slot.dead.get(what.id());
        return Optional.ofNullable(item).map(found -> found.letter(now));
    }

    int size() {
        return slots.size();
    }

    void clear() {
        slots.clear();
    }
}
