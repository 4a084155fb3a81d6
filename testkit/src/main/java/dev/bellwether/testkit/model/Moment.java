// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** One step in the making: the state being changed, who asks, the time, and the hints so far. */
record Moment(StoreState state, long client, long now, List<Told> hints) {
    Moment(StoreState state, long client, long now) {
        this(state, client, now, new ArrayList<>());
    }

    StoreTime time() {
        return StoreTime.exact(now);
    }

    long nowMillis() {
        return Math.floorDiv(now, 1_000L);
    }

    /** The microsecond at which a length that begins now is over. */
    long end(Duration length) {
        return now + micros(length);
    }

    /** Lengths count in whole milliseconds, rounded up. */
    static long micros(Duration length) {
        return Durations.millis(length) * 1_000;
    }

    Duration until(long moment) {
        return Duration.of(Math.max(0, moment - now), ChronoUnit.MICROS);
    }

    /** A number that no commit and no grant had before. */
    long tick() {
        state.lastTick = Math.max(now, state.lastTick + 1);
        return state.lastTick;
    }

    LeaseCell lease(LeaseName name) {
        LeaseCell cell = state.leases.computeIfAbsent(name, n -> new LeaseCell());
        cell.forgetWhatEnded(now);
        return cell;
    }

    QueueCell queue(QueueName name) {
        QueueCell cell = state.queues.computeIfAbsent(name, QueueCell::new);
        cell.forgetWhatEnded(now);
        return cell;
    }

    void tell(long whom, Hint hint) {
        hints.add(new Told(whom, hint));
    }

    void arm(KvKey key) {
        state.armed.computeIfAbsent(key, k -> new TreeSet<>()).add(client);
    }

    void changed(KvKey key) {
        Set<Long> armed = state.armed.remove(key);
        if (armed != null) armed.forEach(whom -> tell(whom, new Hint.Changed(key)));
    }
}
