// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.engine.Engine;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.LeaseLostException.Reason;
import dev.bellwether.error.LoadFailedException;
import dev.bellwether.lease.Tenure;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.observe.BellwetherListener.Source;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Tokens;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One computation: the loader runs, the lease is kept alive, the value is stored if the lease still stands. */
final class Leading<K, V> {
    /*
     * The fence
     * ---------
     * Put and Release are one commit, and Release is refused unless this owner still holds the lease: a value computed
     * before an invalidation, or by a leader that was replaced, is never stored (law M2). It goes to those who waited for
     * it here all the same, and never into the near cache.
     *
     * Renewal stops when the fill is sent: at least two thirds of the term are left then, and a renewal that is already
     * under way only makes the term longer.
     */
    private static final ThreadLocal<@Nullable Leading<?, ?>> COMPUTING = new ThreadLocal<>();

    /** Where the lease came from. */
    record Grant(Owner owner, Tokens tokens, long storeMicros, long sentNanos) {}

    final Flight<K, V> flight;
    private final Memo<K, V> memo;
    private final Engine engine;
    private final @Nullable Grant grant;
    private final @Nullable V previous;
    private final Deadline limit;
    private final @Nullable Tenure tenure;
    private final long startNanos;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile @Nullable Scheduled atLimit;
    private @Nullable Leading<?, ?> outer;

    Leading(Flight<K, V> flight, @Nullable Grant grant, @Nullable V previous) {
        this.flight = flight;
        this.memo = flight.memo;
        this.engine = memo.engine;
        this.grant = grant;
        this.previous = previous;
        this.limit = flight.limit();
        this.startNanos = engine.timer().nanoTime();
        this.tenure = grant == null
                ? null
                : new Tenure(
                        engine,
                        flight.lease,
                        grant.owner(),
                        grant.tokens(),
                        memo.policy.lease(),
                        grant.sentNanos(),
                        limit,
                        this::lost);
    }

    /** The computation that the current thread is in, innermost first; null if in none. */
    static @Nullable Leading<?, ?> current() {
        return COMPUTING.get();
    }

    @Nullable
    Leading<?, ?> outer() {
        return outer;
    }

    void start() {
        if (tenure != null) {
            tenure.keep();
        } else {
            atLimit = engine.timer().after(limit.remaining(), () -> {
                if (!ended.compareAndSet(false, true)) return;
                memo.bulkhead.leave();
                flight.abandon();
            });
        }
        flight.user(this::run);
    }

    /** Hands the lease back, whatever the loader still does; for a Bellwether that closes. */
    CompletableFuture<?> resign() {
        return tenure == null ? CompletableFuture.completedFuture(null) : tenure.release(Quiet.NONE);
    }

    /** A leader that only lost its lease computes on for those who wait; one that reached its limit is left behind. */
    private void lost(Reason reason) {
        if (reason != Reason.AT_MOST_REACHED || grant == null) return;
        Commit leave = Commit.of(new Leave(flight.lease, grant.owner()));
        engine.send(
                        "return of a lead",
                        engine.within(memo.policy.lease()),
                        () -> engine.backend().commit(leave))
                .whenComplete((reply, failure) -> flight.abandon());
    }

    private void run(@Nullable Caller<V> caller) {
        LoadContext<V> context = new LoadContext<>(tenure, limit, previous);
        AtomicBoolean answered = new AtomicBoolean();
        outer = COMPUTING.get();
        COMPUTING.set(this);
        if (caller != null) caller.computing = true;
        try {
            flight.loading.load(flight.key, context, (value, failure) -> {
                if (!answered.compareAndSet(false, true)) return;
                if (failure == null) {
                    loaded(value, context);
                } else if (caller != null && wasInterrupted(failure)) {
                    handOn(caller, failure);
                } else {
                    failed(failure);
                }
            });
        } finally {
            if (caller != null) caller.computing = false;
            if (outer == null) COMPUTING.remove();
            else COMPUTING.set(outer);
        }
    }

    private static boolean wasInterrupted(Throwable failure) {
        return failure instanceof InterruptedException || Thread.currentThread().isInterrupted();
    }

    /** The thread that computed was interrupted for reasons of its own: if others wait, one of them goes on. */
    private void handOn(Caller<V> caller, Throwable failure) {
        Thread.currentThread().interrupt();
        flight.detachOne(caller);
        caller.fail(
                dev.bellwether.engine.Waiting.cancelled("interrupted while computing " + memo.describe(flight.key)));
        if (flight.hasCallers()) {
            flight.user(this::run);
        } else {
            release(Quiet.NONE, () -> flight.fail(failure));
        }
    }

    private void loaded(@Nullable V value, LoadContext<V> context) {
        Duration ttl;
        Set<String> tags;
        Bytes payload;
        try {
            ttl = memo.policy.ttlOf(
                    flight.key, value, context.chosenTtl(), engine.timer().random());
            tags = tags(value, context);
            payload = value == null ? Bytes.EMPTY : Bytes.wrap(memo.encode(value));
        } catch (Throwable failure) { // the user's functions and codec
            failed(new BellwetherException(
                    memo.describe(flight.key) + " was computed, and then its ttl, tags or codec failed: " + failure,
                    failure));
            return;
        }
        if (tenure == null) {
            done(value, false);
        } else if (!context.isStored() || ttl.isZero() || tooLarge(payload)) {
            release(Quiet.NONE, () -> done(value, false));
        } else {
            fillUnderEpochs(value, payload, ttl, tags);
        }
    }

    private Set<String> tags(@Nullable V value, LoadContext<V> context) {
        Set<String> tags = new LinkedHashSet<>(context.chosenTags());
        tags.addAll(memo.tags(flight.key, value));
        return tags;
    }

    private boolean tooLarge(Bytes payload) {
        int most = engine.backend().capabilities().limits().maxValueBytes() - MemoRecordSize.OVERHEAD;
        if (payload.length() <= most) return false;
        memo.warnOnce("values of " + memo.policy.name() + " larger than " + most
                + " bytes are returned and not stored; " + memo.describe(flight.key) + " has " + payload.length());
        return true;
    }

    /** Room for the header and some tags. */
    private static final class MemoRecordSize {
        static final int OVERHEAD = 4_096;
    }

    /** An epoch that moved after the lease was granted drops what was computed from older data: it is not stored. */
    private void fillUnderEpochs(@Nullable V value, Bytes payload, Duration ttl, Set<String> tags) {
        List<KvKey> names = new ArrayList<>(tags.size() + 1);
        names.add(memo.store.clear());
        for (String tag : tags) names.add(memo.epochs.tag(tag));
        memo.epochs.current(names, engine.within(engine.requestTimeout())).whenComplete((marks, failure) -> {
            if (failure != null || marks.stream().anyMatch(this::isLater)) {
                release(Quiet.NONE, () -> done(value, false));
            } else {
                fill(value, payload, ttl, marks);
            }
        });
    }

    private boolean isLater(Epochs.Mark mark) {
        return grant == null || mark.dropsWhatWasReadAt(grant.storeMicros());
    }

    private void fill(@Nullable V value, Bytes payload, Duration ttl, List<Epochs.Mark> marks) {
        if (tenure == null || grant == null || !tenure.stop()) {
            done(value, false);
            return;
        }
        List<MemoRecord.Epoch> epochs = new ArrayList<>(marks.size());
        for (Epochs.Mark mark : marks) epochs.add(new MemoRecord.Epoch(mark.name, mark.version()));
        int cost = (int) Math.min(Integer.MAX_VALUE, (engine.timer().nanoTime() - startNanos) / 1_000_000);
        MemoRecord memoRecord = new MemoRecord(value == null, memo.fingerprint, ttl.toMillis(), cost, epochs, payload);
        Expiry expiry = Expiry.after(ttl.plus(memo.policy.staleWindow()));
        Commit commit = Commit.of(
                new Put(flight.valueKey, memoRecord.encode(), expiry),
                new Release(flight.lease, grant.owner(), Quiet.NONE));
        memo.near.changed(flight.valueKey);
        engine.send(
                        "fill of " + memo.policy.name(),
                        tenure.deadline(),
                        () -> engine.backend().commit(commit))
                .whenComplete((reply, failure) -> {
                    boolean stored = reply instanceof CommitReply.Committed;
                    memo.near.changed(flight.valueKey);
                    if (failure != null) memo.fillFailed(flight.key, failure);
                    done(value, stored);
                    if (reply instanceof CommitReply.Committed committed) {
                        memo.warm(flight.key, flight.valueKey, value, committed.version());
                    }
                });
    }

    private void done(@Nullable V value, boolean stored) {
        over(true, stored);
        flight.finish(value, Source.LED);
    }

    private void failed(Throwable failure) {
        LoadFailedException told = new LoadFailedException(
                memo.describe(flight.key) + " could not be computed: " + failure + "; nothing was stored", failure);
        Quiet quiet = Quiet.NONE;
        if (grant != null && !(failure instanceof Error)) {
            FailureNote note = FailureNote.of(grant.tokens().first(), memo.policy.sharesFailures(), failure);
            quiet = new Quiet(memo.policy.failureWindow(), note.encode());
        }
        release(quiet, () -> {
            over(false, false);
            flight.failed(told);
        });
    }

    private void release(Quiet quiet, Runnable then) {
        CompletableFuture<?> released =
                tenure == null ? CompletableFuture.completedFuture(null) : tenure.release(quiet);
        released.whenComplete((ending, failure) -> then.run());
    }

    private void over(boolean succeeded, boolean stored) {
        if (!ended.compareAndSet(false, true)) return;
        Scheduled waiting = atLimit;
        if (waiting != null) waiting.cancel();
        if (tenure == null) memo.bulkhead.leave();
        if (engine.isListening()) {
            Duration took = Duration.ofNanos(engine.timer().nanoTime() - startNanos);
            engine.tell(listener ->
                    listener.onLoad(new BellwetherListener.Load(memo.policy.name(), succeeded, stored, took)));
        }
    }
}
