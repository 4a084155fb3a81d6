// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.QueueSettings;
import dev.bellwether.spi.Receipt;
import dev.bellwether.spi.RequestId;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One queue: its messages, the deduplication keys, the consumers that wait, and what each of them claimed last. */
final class QueueCell {
    /** More consumers are not woken by one change; each that leaves something behind wakes the next. */
    private static final int MOST_WOKEN = 8;

    /** Who holds a deduplication key, also after the message is gone. */
    record Key(MessageId id, long until) {}

    record Waiter(long client, long until) {}

    record LastClaim(RequestId id, Claim reply, long until) {}

    final QueueName name;
    /** Live and dead ones, in order of enqueue. */
    final Map<MessageId, Item> items = new LinkedHashMap<>();

    final Map<Bytes, Key> keys = new HashMap<>();
    /** By consumer. */
    final Map<Long, Waiter> waiters = new LinkedHashMap<>();

    final Map<Long, LastClaim> claims = new HashMap<>();
    QueueSettings settings = QueueSettings.DEFAULT;
    long lastId;
    long joins;

    QueueCell(QueueName name) {
        this.name = name;
    }

    QueueCell copy() {
        QueueCell copy = new QueueCell(name);
        items.forEach((id, item) -> copy.items.put(id, item.copy()));
        copy.keys.putAll(keys);
        copy.waiters.putAll(waiters);
        copy.claims.putAll(claims);
        copy.settings = settings;
        copy.lastId = lastId;
        copy.joins = joins;
        return copy;
    }

    /** True if nothing is left but a clock can replace: ids begin at the clock. */
    boolean forgetWhatEnded(long now) {
        keys.values().removeIf(key -> key.until() <= now);
        waiters.values().removeIf(waiter -> waiter.until() <= now);
        claims.values().removeIf(claim -> claim.until() <= now);
        return items.isEmpty()
                && keys.isEmpty()
                && waiters.isEmpty()
                && claims.isEmpty()
                && settings.equals(QueueSettings.DEFAULT)
                && lastId < now;
    }

    @Nullable
    Item find(MessageId id) {
        return items.get(id);
    }

    MessageState stateOf(MessageId id) {
        Item item = items.get(id);
        return item == null ? MessageState.GONE : item.place;
    }

    /** The message, if the delivery has been neither settled nor superseded. */
    @Nullable
    Item current(Receipt receipt) {
        Item item = items.get(receipt.id());
        boolean current = item != null && item.isLive() && item.deliveries == receipt.delivery() && !item.spent;
        return current ? item : null;
    }

    Obstacle stale(int index, Receipt receipt) {
        return new Obstacle.Stale(index, receipt, stateOf(receipt.id()));
    }

    /** In order of enqueue. */
    Stream<Item> in(MessageState place) {
        return items.values().stream().filter(item -> item.place == place);
    }

    long live() {
        return items.values().stream().filter(Item::isLive).count();
    }

    /** The live message of a group that is not behind another. */
    @Nullable
    Item headOf(Bytes group) {
        return groupStream(group)
                .filter(item -> item.place != MessageState.GROUPED)
                .findFirst()
                .orElse(null);
    }

    private Stream<Item> groupStream(Bytes group) {
        return items.values().stream().filter(item -> item.isLive() && group.equals(item.message.group()));
    }

    /** To ready or delayed by its due time, or behind the head of its group. */
    void place(Item item, long now) {
        Bytes group = item.message.group();
        Item head = group == null ? null : headOf(group);
        if (head == null || head == item) {
            if (item.isDue(now)) item.becomeReady(settings.ageing());
            else item.place = MessageState.DELAYED;
        } else {
            item.place = MessageState.GROUPED;
        }
    }

    /** As if it had never been taken. */
    void putBack(Item item, long now) {
        long score = item.score;
        place(item, now);
        item.score = score;
    }

    /** Adds it behind those that are in its group already. */
    void join(Item item, long now) {
        item.joined = joins++;
        item.place = MessageState.GROUPED;
        place(item, now);
    }

    void remove(Item item, long now) {
        items.remove(item.id);
        bringNextOfGroup(item, now);
    }

    void bury(Item item, String reason, Bytes detail, long now) {
        item.place = MessageState.DEAD;
        item.reason = reason;
        item.detail = detail;
        item.diedAt = now;
        releaseKey(item);
        bringNextOfGroup(item, now);
    }

    private void bringNextOfGroup(Item gone, long now) {
        Bytes group = gone.message.group();
        if (group == null || headOf(group) != null) return;
        groupStream(group).min(Comparator.comparingLong(item -> item.joined)).ifPresent(next -> place(next, now));
    }

    void releaseKey(Item item) {
        if (item.message.dedup() == null) return;
        Bytes key = item.message.dedup().key();
        Key held = keys.get(key);
        if (held != null && held.id().equals(item.id)) keys.remove(key);
    }

    /** The moment at which the earliest delayed message is due. */
    long earliestDelayed() {
        return in(MessageState.DELAYED).mapToLong(item -> item.due).min().orElse(Long.MAX_VALUE);
    }

    /** What decides, compared with the same later, whom a change shall wake. */
    record Prospect(long ready, long earliestDelayed) {}

    Prospect prospect() {
        return new Prospect(in(MessageState.READY).count(), earliestDelayed());
    }

    /** More is ready: as many consumers are woken, within the bound. Only an alarm is earlier: one is told of it. */
    void wakeAfter(Moment moment, Prospect before) {
        Prospect after = prospect();
        long gained = after.ready() - before.ready();
        if (gained > 0) wake(moment, Math.min(gained, MOST_WOKEN));
        else if (after.earliestDelayed() < before.earliestDelayed()) hintEarlierAlarm(moment);
    }

    /** Wakes up to that many waiting consumers, each once. */
    void wake(Moment moment, long count) {
        Iterator<Waiter> next = waiters.values().iterator();
        for (long i = 0; i < count && next.hasNext(); i++) {
            moment.tell(next.next().client(), new Hint.Due(name));
            next.remove();
        }
    }

    /** Lets one waiting consumer set its alarm anew; it stays registered. */
    private void hintEarlierAlarm(Moment moment) {
        waiters.values().stream().findFirst().ifPresent(waiter -> moment.tell(waiter.client(), new Hint.Due(name)));
    }

    Inspection.QueueFigures figures(long now) {
        Duration oldest = in(MessageState.READY)
                .map(item -> Duration.of(Math.max(0, now - item.enqueuedAt), ChronoUnit.MICROS))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        return new Inspection.QueueFigures(
                in(MessageState.READY).count(),
                in(MessageState.DELAYED).count(),
                in(MessageState.GROUPED).count(),
                in(MessageState.RUNNING).count(),
                in(MessageState.DEAD).count(),
                oldest,
                settings);
    }

    List<Inspection.Letter> letters(MessageState place, int limit, @Nullable MessageId after, long now) {
        return in(place)
                .filter(item -> after == null || Long.parseLong(item.id.value()) > Long.parseLong(after.value()))
                .limit(limit)
                .map(item -> item.letter(now))
                .toList();
    }
}
