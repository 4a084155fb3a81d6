// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.RequestId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Everything a store knows at one moment. Opaque and, seen from outside this package, immutable: {@link Model#step}
 * answers with another one.
 */
public final class StoreState {
    static final Comparator<LeaseName> LEASES =
            Comparator.comparing((LeaseName lease) -> lease.partition().tag()).thenComparing(LeaseName::name);
    static final Comparator<QueueName> QUEUES =
            Comparator.comparing((QueueName queue) -> queue.partition().tag()).thenComparing(QueueName::name);

    /** What has ended is invisible at once; its memory is reclaimed after this many steps. */
    private static final int STEPS_BETWEEN_SWEEPS = 1_024;

    /** A committed request, for as long as a repetition of it is recognised. */
    record Remembered(CommitReply.Committed reply, long until) {}

    final TreeMap<KvKey, Slot> entries = new TreeMap<>();
    final TreeMap<LeaseName, LeaseCell> leases = new TreeMap<>(LEASES);
    final TreeMap<QueueName, QueueCell> queues = new TreeMap<>(QUEUES);
    final Map<RequestId, Remembered> requests = new HashMap<>();
    final Map<KvKey, Set<Long>> armed = new HashMap<>();
    long lastTick;
    private int steps;

    private StoreState() {}

    /** A store that was never written to, or one that lost everything. */
    public static StoreState empty() {
        return new StoreState();
    }

    StoreState copy() {
        StoreState copy = new StoreState();
        copy.entries.putAll(entries);
        leases.forEach((name, cell) -> copy.leases.put(name, cell.copy()));
        queues.forEach((name, cell) -> copy.queues.put(name, cell.copy()));
        copy.requests.putAll(requests);
        armed.forEach((key, whom) -> copy.armed.put(key, new TreeSet<>(whom)));
        copy.lastTick = lastTick;
        copy.steps = steps;
        return copy;
    }

    void sweepNowAndThen(Moment moment) {
        if (++steps % STEPS_BETWEEN_SWEEPS != 0) return;
        entries.values().removeIf(slot -> slot.hasEnded(moment.nowMillis()));
        leases.values().removeIf(cell -> cell.forgetWhatEnded(moment.now()));
        queues.values().removeIf(cell -> cell.forgetWhatEnded(moment.now()));
        requests.values().removeIf(memory -> memory.until() <= moment.now());
    }
}
