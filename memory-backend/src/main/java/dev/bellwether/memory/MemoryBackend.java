// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Capabilities;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.spi.Subscription;
import dev.bellwether.time.Timer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A store in the memory of this process: everything a {@link KvBackend} promises, for services that share one instance,
 * and gone with the process.
 *
 * <p>Thread-safe. Every request is answered before its method returns; the stages are complete. Hints are handed to the
 * listeners after the effect, outside any lock, on the thread that caused it (the caller's, or the timer's when something
 * expired): a listener must not block.
 *
 * <p>The store's clock starts at {@link Timer#epochMicros()} and then goes by {@link Timer#nanoTime()} alone: a step of
 * the wall clock neither ends anything early nor brings anything back, and {@code Expiry.At} counts by this clock.
 *
 * <p>A commit may span partitions; a range is read at one moment. Request ids are remembered for 30 s, the newest
 * 500,000 of them. Entries, remembered deletes, lease names and messages together are bounded only as far as the builder
 * was told: at the bound, whatever would add to them fails with {@code RejectedException}, and whatever gives up
 * (releases, acknowledgements, deletes) goes on. What has expired is given back within about a second, by one task of
 * the timer that exists only while there is something to expire. {@link #close()} ends that task and forgets everything;
 * the timer is not ours to close.
 */
public final class MemoryBackend implements KvBackend {
    /*
     * One lock guards all that changes, and whatever changes is one step under it: commits across partitions need no
     * protocol, and a step is short (well below a microsecond for one key), so that striping would buy little. Reading
     * one key takes no lock. Hints are gathered during the step and told once the lock is free (law E2).
     */
    private static final Capabilities CAPABILITIES = new Capabilities(
            EnumSet.of(Power.CROSS_PARTITION, Power.ORDERED_SCAN, Power.SNAPSHOT_SCAN, Power.PUSHED_HINTS),
            Sizes.LIMITS);

    private final ReentrantLock lock = new ReentrantLock();
    private final StoreClock clock;
    private final Expirations expirations;
    private final Bounds bounds;
    private final Entries entries;
    private final Leases leases;
    private final Queues queues;
    private final RequestMemory memory;
    private final Commits commits;
    private final Inspections inspections;
    private final Listeners listeners = new Listeners();
    private volatile boolean closed;

    private MemoryBackend(Builder settings) {
        clock = new StoreClock(settings.timer);
        expirations = new Expirations(settings.timer, this::reclaim);
        bounds = new Bounds(settings.maxEntries, settings.maxBytes);
        entries = new Entries(expirations, bounds);
        leases = new Leases(entries, expirations, bounds);
        queues = new Queues(expirations, bounds);
        memory = new RequestMemory(expirations);
        commits = new Commits(entries, leases, queues, memory, expirations, bounds);
        inspections = new Inspections(entries, leases, queues, bounds);
    }

    /** A store without bounds on the system's clock. */
    public static MemoryBackend create() {
        return builder().build();
    }

    /** A store without bounds on this timer, which is borrowed. */
    public static MemoryBackend on(Timer timer) {
        return builder().timer(timer).build();
    }

    public static Builder builder() {
        return new Builder();
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        Objects.requireNonNull(query, "the query is null");
        if (query instanceof Query.Keys keys && keys.keys().size() == 1)
            return readOne(keys.keys().get(0), keys.arm());
        return step(moment -> readAll(query, moment));
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        Objects.requireNonNull(commit, "the commit is null");
        Sizes.check(commit);
        return step(moment -> commits.commit(commit, moment));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        Objects.requireNonNull(request, "the request is null");
        return step(moment -> {
            if (!bounds.unlimited() && leases.isNew(request.lease())) {
                commits.admit(1, request.lease().name().length(), moment);
            }
            return leases.acquire(request, moment);
        });
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        Objects.requireNonNull(request, "the request is null");
        return step(moment -> queues.claim(request, moment));
    }

    @Override
    @SuppressWarnings("unchecked") // Inspections answers each question with its own type
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        Objects.requireNonNull(what, "the inspection is null");
        return step(moment -> (R) inspections.answer(what, moment));
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        Objects.requireNonNull(listener, "the listener is null");
        return listeners.add(listener);
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            expirations.close();
            entries.clear();
            leases.clear();
            queues.clear();
            memory.clear();
        } finally {
            lock.unlock();
        }
        listeners.clear();
    }

    private CompletionStage<Reading> readOne(KvKey key, boolean arm) {
        if (closed) return CompletableFuture.failedFuture(closedException());
        long now = clock.micros();
        long millis = Math.floorDiv(now, 1_000);
        KvEntry entry = arm ? entries.tryLookAndArm(key, millis) : entries.look(key, millis);
        if (entry == null) return step(moment -> reading(List.of(entries.lookAndArm(key, moment)), false, moment));
        return CompletableFuture.completedFuture(new Reading(List.of(entry), false, StoreTime.exact(now)));
    }

    private Reading readAll(Query query, Moment moment) {
        if (query instanceof Query.Range range) {
            List<KvEntry> found = entries.range(range, moment.millis());
            boolean more = found.size() > range.limit();
            return reading(more ? found.subList(0, range.limit()) : found, more, moment);
        }
        Query.Keys keys = (Query.Keys) query;
        List<KvEntry> found = new ArrayList<>(keys.keys().size());
        for (KvKey key : keys.keys()) {
            found.add(keys.arm() ? entries.lookAndArm(key, moment) : entries.look(key, moment.millis()));
        }
        return reading(found, false, moment);
    }

    private static Reading reading(List<KvEntry> entries, boolean more, Moment moment) {
        return new Reading(entries, more, moment.time());
    }

    private <R> CompletionStage<R> step(Function<Moment, R> work) {
        Moment moment;
        CompletableFuture<R> reply;
        lock.lock();
        try {
            if (closed) return CompletableFuture.failedFuture(closedException());
            moment = new Moment(clock);
            reply = answer(work, moment);
        } finally {
            lock.unlock();
        }
        listeners.tell(moment.hints());
        return reply;
    }

    private static <R> CompletableFuture<R> answer(Function<Moment, R> work, Moment moment) {
        try {
            return CompletableFuture.completedFuture(work.apply(moment));
        } catch (BellwetherException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    private void reclaim() {
        Moment moment;
        lock.lock();
        try {
            if (closed) return;
            moment = new Moment(clock);
            expirations.turn(moment);
        } finally {
            lock.unlock();
        }
        listeners.tell(moment.hints());
    }

    private static ClosedException closedException() {
        return new ClosedException("the memory backend is closed; nothing happened", null);
    }

    /** Settings of a store. Not thread-safe. */
    public static final class Builder {
        private Timer timer = Timer.system();
        private long maxEntries = Long.MAX_VALUE;
        private long maxBytes = Long.MAX_VALUE;

        private Builder() {}

        /** The store's clock, and what runs its sweeps; borrowed. Default: the system's. */
        public Builder timer(Timer timer) {
            this.timer = timer;
            return this;
        }

        /** The most entries, remembered deletes, lease names and messages (dead ones too) together. Default: no bound. */
        public Builder maxEntries(long maxEntries) {
            this.maxEntries = positive("maxEntries", maxEntries);
            return this;
        }

        /**
         * The most bytes of their names, values and payloads together; the objects around them, about 200 bytes each,
         * do not count. Default: no bound.
         */
        public Builder maxBytes(long maxBytes) {
            this.maxBytes = positive("maxBytes", maxBytes);
            return this;
        }

        public MemoryBackend build() {
            return new MemoryBackend(this);
        }

        private static long positive(String setting, long value) {
            if (value < 1) throw new IllegalArgumentException(setting + " is " + value + "; it must be 1 or more");
            return value;
        }
    }
}
