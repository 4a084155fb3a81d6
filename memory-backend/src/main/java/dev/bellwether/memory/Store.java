// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.memory.MemoryBackend.HintList;
import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.RequestId;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.spi.Version;
import dev.bellwether.time.Timer;
import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Everything that is stored, changed one step at a time. */
final class Store {
    /*
     * One lock
     * --------
     * Each step holds the one lock from its first look to its last write; that is where it takes effect. A commit judges
     * every check and mutation against what stands and changes nothing until all are admitted, so it is whole or not at
     * all without anything to roll back. A commit takes well under a microsecond, so a second lock would buy less than it
     * costs in order. Reads of single entries take no lock: entries are immutable and replaced whole.
     *
     * Ticks: versions and tokens are larger than all earlier ones of the store, also within one microsecond.
     */
    /** So much is reclaimed in one go, under the lock: a few milliseconds. */
    private static final int MOST_RECLAIMED = 10_000;

    private final Timer timer;
    private final StoreClock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Expirations expirations = new Expirations();
    private final Interest interest = new Interest();
    private final RequestMemory memory = new RequestMemory();
    private final Quota quota;
    private final Entries entries;
    private final Leases leases;
    private final Queues queues;
    private long lastTick;
    private long sweepMillis = Expirations.NEVER;
    private @Nullable Scheduled sweep;
    private boolean closed;

    Store(Timer timer, long maxEntries, long maxBytes) {
        this.timer = timer;
        this.clock = new StoreClock(timer);
        this.quota = new Quota(maxEntries, maxBytes);
        this.entries = new Entries(expirations, interest, quota);
        this.leases = new Leases(expirations, interest, entries, count -> ticks(clock.micros(), count));
        this.queues = new Queues(expirations, quota, count -> ticks(clock.micros(), count));
    }

    /** The first of so many numbers, larger than all before. */
    private long ticks(long now, int count) {
        long first = Math.max(now, lastTick + 1);
        lastTick = first + count - 1;
        return first;
    }

    // ---- the verbs

    Reading read(Query query) {
        if (query instanceof Query.Range range) return readRange(range);
        Query.Keys keys = (Query.Keys) query;
        if (keys.keys().size() == 1) return readOne(keys.keys().get(0), keys.arm());
        lock.lock();
        try {
            if (keys.arm()) keys.keys().forEach(interest::place);
            long now = clock.micros();
            List<KvEntry> found = new ArrayList<>(keys.keys().size());
            for (KvKey key : keys.keys()) found.add(entries.read(key, now / 1_000));
            return new Reading(found, false, StoreTime.exact(now));
        } finally {
            lock.unlock();
        }
    }

    private Reading readOne(KvKey key, boolean arm) {
        if (arm) interest.place(key);
        long now = clock.micros();
        return new Reading(List.of(entries.read(key, now / 1_000)), false, StoreTime.exact(now));
    }

    private Reading readRange(Query.Range range) {
        lock.lock();
        try {
            long now = clock.micros();
            List<KvEntry> found = entries.range(range, now / 1_000);
            boolean more = found.size() > range.limit();
            return new Reading(more ? found.subList(0, range.limit()) : found, more, StoreTime.exact(now));
        } finally {
            lock.unlock();
        }
    }

    CommitReply commit(Commit commit, HintList hints) {
        lock.lock();
        try {
            long now = clock.micros();
            RequestId id = commit.id();
            CommitReply.Committed known = id == null ? null : memory.reply(id, now / 1_000);
            if (known != null) return known;
            List<Obstacle> obstacles = judge(commit, now);
            if (obstacles != null) return new CommitReply.Conflict(obstacles, StoreTime.exact(now));
            CommitReply.Committed reply = apply(commit, now, hints);
            if (id != null) memory.remember(id, reply, now / 1_000);
            planSweep(now);
            return reply;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable List<Obstacle> judge(Commit commit, long now) {
        List<Obstacle> obstacles = null;
        quota.begin();
        int index = 0;
        for (Check check : commit.checks()) obstacles = add(obstacles, judge(index++, check, now));
        for (Mutation mutation : commit.mutations()) obstacles = add(obstacles, judge(index++, mutation, now));
        if (obstacles == null && quota.isBounded()) {
            for (Mutation mutation : commit.mutations()) {
                if (mutation instanceof EntryMutation.Put put) entries.reserve(put, now / 1_000);
            }
        }
        return obstacles;
    }

    private static @Nullable List<Obstacle> add(@Nullable List<Obstacle> obstacles, @Nullable Obstacle obstacle) {
        if (obstacle == null) return obstacles;
        List<Obstacle> all = obstacles == null ? new ArrayList<>() : obstacles;
        all.add(obstacle);
        return all;
    }

    private @Nullable Obstacle judge(int index, Check check, long now) {
        if (check instanceof Check.Is is) return entries.judge(index, is, now / 1_000);
        if (check instanceof Check.Vacant vacant) return entries.judge(index, vacant, now / 1_000);
        if (check instanceof Check.Held held) return leases.judge(index, held, now);
        if (check instanceof Check.Current current) return queues.judge(index, current, now);
        throw new AssertionError(check);
    }

    private @Nullable Obstacle judge(int index, Mutation mutation, long now) {
        if (mutation instanceof EntryMutation entry) return entries.judge(index, entry, now / 1_000);
        if (mutation instanceof LeaseMutation lease) return leases.judge(index, lease, now);
        if (mutation instanceof QueueMutation queue) return queues.judge(index, queue, now);
        throw new AssertionError(mutation);
    }

    private CommitReply.Committed apply(Commit commit, long now, HintList hints) {
        long highest = ticks(now, 1) - 1;
        for (Mutation mutation : commit.mutations()) {
            if (mutation instanceof EntryMutation entry) {
                highest = Math.max(highest, entries.highest(entry, now / 1_000));
            }
        }
        Version version = new Version(highest + 1);
        lastTick = Math.max(lastTick, version.value());
        List<Outcome> outcomes = new ArrayList<>(commit.mutations().size());
        for (Mutation mutation : commit.mutations()) outcomes.add(apply(mutation, version, now, hints));
        return new CommitReply.Committed(version, outcomes, StoreTime.exact(now));
    }

    private Outcome apply(Mutation mutation, Version version, long now, HintList hints) {
        if (mutation instanceof EntryMutation entry) return entries.apply(entry, version, now / 1_000, hints);
        if (mutation instanceof LeaseMutation lease) return leases.apply(lease, now, hints);
        if (mutation instanceof QueueMutation queue) return queues.apply(queue, now, hints);
        throw new AssertionError(mutation);
    }

    Acquisition acquire(LeaseRequest request, HintList hints) {
        lock.lock();
        try {
            long now = clock.micros();
            Acquisition answer = leases.acquire(request, now, hints);
            planSweep(now);
            return answer;
        } finally {
            lock.unlock();
        }
    }

    Claim claim(ClaimRequest request, HintList hints) {
        lock.lock();
        try {
            long now = clock.micros();
            Claim claim = queues.claim(request, now, hints);
            planSweep(now);
            return claim;
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("unchecked") // each inspection names the type of its answer
    <R> R inspect(Inspection<R> what) {
        lock.lock();
        try {
            return (R) answer(what, clock.micros());
        } finally {
            lock.unlock();
        }
    }

    private Object answer(Inspection<?> what, long now) {
        if (what instanceof Inspection.Leases all) return leases.inspect(all, now);
        if (what instanceof Inspection.Holding holding) return leases.state(holding.lease(), now);
        if (what instanceof Inspection.Figures figures) return queues.figures(figures.queue(), now);
        if (what instanceof Inspection.Messages messages) return queues.letters(messages, now);
        if (what instanceof Inspection.OneMessage one) return queues.letter(one, now);
        return facts(now);
    }

    private Map<String, String> facts(long now) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("kind", "memory");
        facts.put("persistence", "none: nothing survives the process");
        facts.put("clock", "micros " + now);
        facts.put("entries", Long.toString(entries.size()));
        facts.put("leases", Integer.toString(leases.size()));
        facts.put("queues", Integer.toString(queues.size()));
        return facts;
    }

    // ---- reclaiming

    private void planSweep(long now) {
        long next = expirations.nextMillis();
        if (!memory.isEmpty()) next = Math.min(next, now / 1_000 + RequestMemory.KEPT_MILLIS + 1_000);
        if (next >= sweepMillis || closed) return;
        if (sweep != null) sweep.cancel();
        sweepMillis = next;
        sweep = timer.after(Duration.ofMillis(Math.max(1, next - now / 1_000)), this::sweep);
    }

    private void sweep() {
        lock.lock();
        try {
            long now = clock.micros();
            sweepMillis = Expirations.NEVER;
            memory.forget(now / 1_000);
            boolean more = expirations.drain(now / 1_000, MOST_RECLAIMED, what -> reclaim(what, now));
            if (more && !closed) {
                sweepMillis = now / 1_000;
                sweep = timer.after(Duration.ofMillis(1), this::sweep);
            } else {
                planSweep(now);
            }
        } finally {
            lock.unlock();
        }
    }

    private void reclaim(Object what, long now) {
        if (what instanceof KvKey key) entries.reclaim(key, now / 1_000);
        else if (what instanceof LeaseName lease) leases.reclaim(lease, now);
        else if (what instanceof QueueName queue) queues.reclaim(queue, now);
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            if (sweep != null) sweep.cancel();
            entries.clear();
            leases.clear();
            queues.clear();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return entries.size() + " entries";
    }
}
