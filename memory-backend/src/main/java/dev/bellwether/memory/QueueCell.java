// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.QueueSettings;
import dev.bellwether.spi.Receipt;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The messages of one queue. Needs the store's lock. */
final class QueueCell extends Expiring {
    /*
     * Each live message is in exactly one place: ready (by score), delayed (by due time), running (by the end of its
     * lease), or behind the head of its group. All three orders are heaps that know where each message stands, so that
     * the cost of a claim grows with the logarithm of the backlog only.
     *
     * A delivery that lapsed is put back with its receipt unspent: its holder may still acknowledge until the message is
     * delivered again. A delivery that was settled is spent at once: else a late acknowledgement after a retry would
     * remove the copy that waits (law Q2).
     */
    private final Queues home;
    private final QueueName name;
    private final Bounds bounds;
    private final Map<MessageId, Item> items = new LinkedHashMap<>();
    private final Ranks ready = new Ranks();
    private final Ranks delayed = new Ranks();
    private final Ranks running = new Ranks();
    private final Groups groups = new Groups();
    private final Map<Bytes, DedupKey> keys = new HashMap<>();
    private final Consumers consumers = new Consumers();
    private QueueSettings settings = QueueSettings.DEFAULT;
    private int dead;

    /** How many messages became ready, ever: the difference across a step tells whom to wake. */
    private long arrivals;

    QueueCell(Queues home, QueueName name, Bounds bounds) {
        this.home = home;
        this.name = name;
        this.bounds = bounds;
    }

    QueueName name() {
        return name;
    }

    Collection<Item> items() {
        return items.values();
    }

    @Nullable
    Item item(MessageId id) {
        return items.get(id);
    }

    Ranks ready() {
        return ready;
    }

    Ranks delayed() {
        return delayed;
    }

    Ranks running() {
        return running;
    }

    Consumers consumers() {
        return consumers;
    }

    int grouped() {
        return groups.behind();
    }

    int dead() {
        return dead;
    }

    long live() {
        return (long) items.size() - dead;
    }

    long arrivals() {
        return arrivals;
    }

    QueueSettings settings() {
        return settings;
    }

    void tune(QueueSettings wished) {
        settings = wished;
    }

    @Nullable
    DedupKey heldKey(Bytes key, Moment moment) {
        DedupKey held = keys.get(key);
        return held == null || moment.isPast(held.until()) ? null : held;
    }

    /** The message, if this delivery of it has been neither settled nor superseded. */
    @Nullable
    Item current(Receipt receipt) {
        Item item = items.get(receipt.id());
        return item != null && item.isCurrent(receipt.delivery()) ? item : null;
    }

    Item add(Message message, Moment moment) {
        Item item = new Item(moment.messageNumber(), message, moment.micros());
        items.put(item.id, item);
        bounds.add(1, item.bytes());
        Message.Dedup dedup = message.dedup();
        if (dedup != null) hold(dedup, item, moment);
        wait(item, message.delay(), moment);
        return item;
    }

    /** Other contents and another time for a message that waits. */
    void replace(Item item, Bytes payload, Duration delay, Moment moment) {
        bounds.add(0, (long) payload.length() - item.payload.length());
        item.payload = payload;
        wait(item, delay, moment);
    }

    /** Ready now, or delayed, or behind the head of its group, wherever it was. */
    void wait(Item item, Duration delay, Moment moment) {
        item.due = moment.after(delay);
        stand(item, moment);
    }

    /** Ready at the place that it had when it was last ready. */
    void putBack(Item item, Moment moment) {
        takeOut(item);
        item.due = Math.min(item.due, moment.micros());
        if (groups.standsBehind(item)) item.state = MessageState.GROUPED;
        else makeReady(item, item.score);
    }

    Claim.Handout handOut(Item item, long leaseEnd) {
        takeOut(item);
        item.deliveries++;
        item.spent = false;
        run(item, leaseEnd);
        return new Claim.Handout(
                new Receipt(name, item.id, item.deliveries), item.payload, item.failures, item.crashes);
    }

    void extend(Item item, long leaseEnd) {
        takeOut(item);
        run(item, leaseEnd);
    }

    void promote(Item item) {
        takeOut(item);
        makeReady(item, score(item));
    }

    /** Acknowledged or removed; the key stays with the acknowledged. */
    void end(Item item, Moment moment) {
        bounds.add(-1, -item.bytes());
        items.remove(item.id);
        if (item.isDead()) dead--;
        takeOut(item);
        item.state = MessageState.GONE;
        item.payload = Bytes.EMPTY;
        succeed(item, moment);
    }

    void bury(Item item, String reason, Bytes detail, Moment moment) {
        takeOut(item);
        item.state = MessageState.DEAD;
        item.reason = reason;
        item.detail = detail;
        item.diedAt = moment.micros();
        dead++;
        bounds.add(0, detail.length());
        releaseKey(item, moment);
        succeed(item, moment);
    }

    void revive(Item item, Duration delay, Moment moment) {
        dead--;
        bounds.add(0, -item.detail.length());
        item.failures = 0;
        item.crashes = 0;
        item.reason = "";
        item.detail = Bytes.EMPTY;
        item.diedAt = 0;
        item.state = MessageState.GONE;
        wait(item, delay, moment);
    }

    void releaseKey(Item item, Moment moment) {
        DedupKey held = item.dedup;
        if (held != null) release(held, moment);
    }

    /** The window is over, or the message died or was removed. */
    void release(DedupKey key, Moment moment) {
        key.holder().dedup = null;
        keys.remove(key.key(), key);
        home.cancel(key);
        home.dropIfEmpty(this, moment);
    }

    boolean isEmpty() {
        return items.isEmpty() && keys.isEmpty() && consumers.isEmpty() && settings.equals(QueueSettings.DEFAULT);
    }

    @Override
    long sweep(Moment moment) {
        consumers.settle(moment);
        home.dropIfEmpty(this, moment);
        return consumers.lastEnd();
    }

    private void hold(Message.Dedup dedup, Item item, Moment moment) {
        DedupKey old = keys.get(dedup.key());
        if (old != null) release(old, moment);
        DedupKey key = new DedupKey(this, dedup.key(), item, moment.after(dedup.window()));
        item.dedup = key;
        keys.put(dedup.key(), key);
        home.schedule(key, key.until(), moment);
    }

    private void stand(Item item, Moment moment) {
        takeOut(item);
        if (groups.standsBehind(item)) {
            item.state = MessageState.GROUPED;
        } else if (moment.isPast(item.due)) {
            makeReady(item, score(item));
        } else {
            item.state = MessageState.DELAYED;
            delayed.add(item, item.due);
        }
    }

    private void makeReady(Item item, long score) {
        item.state = MessageState.READY;
        item.score = score;
        ready.add(item, item.score);
        arrivals++;
    }

    private void run(Item item, long leaseEnd) {
        item.state = MessageState.RUNNING;
        running.add(item, leaseEnd);
    }

    private void takeOut(Item item) {
        if (item.state == MessageState.READY) ready.remove(item);
        else if (item.state == MessageState.DELAYED) delayed.remove(item);
        else if (item.state == MessageState.RUNNING) running.remove(item);
    }

    private void succeed(Item item, Moment moment) {
        Item next = groups.leave(item);
        if (next != null) stand(next, moment);
    }

    private long score(Item item) {
        return Math.floorDiv(item.due, 1_000) + item.band * Durations.millis(settings.ageing());
    }
}
