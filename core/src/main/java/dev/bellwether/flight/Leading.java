// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Waiting;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.LeaseLostException.Reason;
import dev.bellwether.error.LoadFailedException;
import dev.bellwether.lease.Tenure;
import dev.bellwether.lease.Tenure.Ending;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.observe.BellwetherListener.Source;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseMutation.Leave;
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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One computation: the loader runs, the lease is kept alive, the value is stored if the lease still stands. */
final class Leading<K, V> {
    /*
     * The fence
     * ---------
     * Put and Break are one commit, and the Break, which ends the hold of the granted token and no other, is refused if
     * that hold has ended: a value computed before an invalidation, or by a leader that was replaced, is never stored
     * (law M2). The token, not the owner, since a late copy of the request for the lease may have made this owner a
     * holder again after an invalidation. The value goes to those who waited here before it was begun all the same,
     * since their calls are older than whatever ended the lease; never to those who came later, and never into the near
     * cache.
     *
     * Renewal stops when the fill is sent: at least two thirds of the term are left then, and a renewal that is already
     * under way only makes the term longer. A lease that the store has forgotten is not asked back: its name keeps no
     * counter of tokens, so nobody could tell a hold that was forgotten from one that an invalidation has ended.
     */
    private static final ThreadLocal<@Nullable Leading<?, ?>> COMPUTING = new ThreadLocal<>();

    /** Where the lease came from. */
    record Grant(Owner owner, Tokens tokens, long sentNanos) {}

    final Flight<K, V> flight;
    private final Memo<K, V> memo;
    private final Engine engine;
    private final @Nullable Grant grant;
    private final @Nullable V previous;
    private final Deadline limit;
    private final @Nullable Tenure tenure;
    private final long startNanos;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean overtaken;
    private volatile @Nullable Scheduled atLimit;
    private volatile @Nullable Leading<?, ?> outer;

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
            tenure.keepUnlessForgotten();
        } else {
            atLimit(() -> {
                if (ended.compareAndSet(false, true)) memo.bulkhead.leave();
            });
        }
        flight.user(true, this::run, this::failed);
    }

    /** A tenure watches the limit as long as it lasts; without one it is watched here. */
    private void atLimit(Runnable first) {
        Scheduled watch = engine.timer().after(limit.remaining(), () -> {
            first.run();
            flight.abandon();
        });
        atLimit = watch;
        if (ended.get()) watch.cancel();
    }

    /** Hands the lease back, whatever the loader still does; for a Bellwether that closes. */
    CompletableFuture<?> resign() {
        Scheduled waiting = atLimit;
        if (waiting != null) waiting.cancel();
        return tenure == null ? CompletableFuture.completedFuture(null) : tenure.release(Quiet.NONE);
    }

    /** A leader that only lost its lease computes on for those who wait; one that reached its limit is left behind. */
    private void lost(Reason reason) {
        if (grant == null) return;
        if (reason == Reason.AT_MOST_REACHED) {
            Commit leave = Commit.of(new Leave(flight.lease, grant.owner()));
            engine.send(
                            "return of a lead",
                            engine.within(engine.requestTimeout()),
                            () -> engine.backend().commit(leave))
                    .whenComplete((reply, failure) -> flight.abandon());
            return;
        }
        if (reason != Reason.UNREACHABLE) {
            overtaken = true;
            flight.seal();
        }
        atLimit(() -> {});
    }

    private void run(@Nullable Caller<V> caller) {
        LoadContext<V> context = new LoadContext<>(tenure, limit, previous);
        AtomicBoolean answered = new AtomicBoolean();
        Leading<?, ?> before = COMPUTING.get();
        outer = before;
        COMPUTING.set(this);
        if (caller != null) caller.computing = true;
        try {
            flight.loading.load(flight.key, context, (value, failure) -> {
                if (!answered.compareAndSet(false, true)) return;
                if (failure == null) {
                    loaded(value, context);
                } else if (caller != null && caller.computing && wasInterrupted(failure)) {
                    handOn(caller, failure);
                } else {
                    failed(failure);
                }
            });
        } finally {
            if (caller != null) caller.computing = false;
            if (before == null) COMPUTING.remove();
            else COMPUTING.set(before);
        }
    }

    private static boolean wasInterrupted(Throwable failure) {
        return failure instanceof InterruptedException || Thread.currentThread().isInterrupted();
    }

    /** The thread that computed was interrupted for reasons of its own: if others wait, one of them goes on. */
    private void handOn(Caller<V> caller, Throwable failure) {
        Thread.currentThread().interrupt();
        caller.computing = false;
        boolean here = flight.leave(caller);
        CancellationException told = Waiting.cancelled("interrupted while computing " + memo.describe(flight.key));
        caller.fail(told.initCause(failure));
        if (here && flight.hasCallers()) {
            flight.user(true, this::run, this::failed);
        } else {
            release(Quiet.NONE, ending -> {
                over(false, false);
                flight.stop();
            });
        }
    }

    private void loaded(@Nullable V value, LoadContext<V> context) {
        Duration ttl;
        Set<String> tags;
        Bytes payload;
        List<KvKey> names = new ArrayList<>();
        try {
            ttl = memo.policy.ttlOf(
                    flight.key, value, context.chosenTtl(), engine.timer().random());
            tags = tags(value, context);
            payload = value == null ? Bytes.EMPTY : Bytes.wrap(memo.encode(value));
            names.add(memo.store.clear());
            for (String tag : tags) names.add(memo.epochs.tag(tag));
        } catch (Throwable failure) { // the user's functions and codec
            failed(new BellwetherException(
                    memo.describe(flight.key) + " was computed, and then its ttl, tags or codec failed: "
                            + Failures.describe(failure),
                    failure));
            return;
        }
        if (tenure == null) {
            done(value, false);
        } else if (!context.isStored() || ttl.isZero()) {
            doneUnstored(value);
        } else {
            fillUnderEpochs(value, payload, ttl, names);
        }
    }

    private Set<String> tags(@Nullable V value, LoadContext<V> context) {
        Set<String> tags = new LinkedHashSet<>(context.chosenTags());
        tags.addAll(memo.tags(flight.key, value));
        return tags;
    }

    /** An epoch that moved after the lease was granted drops what was computed from older data: it is not stored. */
    private void fillUnderEpochs(@Nullable V value, Bytes payload, Duration ttl, List<KvKey> names) {
        memo.epochs.current(names, engine.within(engine.requestTimeout())).whenComplete((marks, failure) -> {
            if (failure != null) {
                doneUnstored(value);
            } else if (marks.stream().anyMatch(this::isLater)) {
                overtaken = true;
                doneUnstored(value);
            } else {
                fill(value, payload, ttl, marks);
            }
        });
    }

    private boolean isLater(Epochs.Mark mark) {
        return grant == null || mark.wasDroppedSince(grant.tokens().first());
    }

    private void fill(@Nullable V value, Bytes payload, Duration ttl, List<Epochs.Mark> marks) {
        int cost = (int) Math.min(Integer.MAX_VALUE, (engine.timer().nanoTime() - startNanos) / 1_000_000);
        Bytes stored = memo.record(value, payload, ttl, cost, marks).encode();
        if (memo.isTooLarge(flight.key, stored)) {
            doneUnstored(value);
            return;
        }
        if (tenure == null || grant == null || !tenure.stop()) {
            done(value, false);
            return;
        }
        Expiry expiry = Expiry.after(ttl.plus(memo.policy.staleWindow()));
        Commit commit = Commit.of(
                new Put(flight.valueKey, stored, expiry),
                new Break(flight.lease, grant.tokens().first(), true));
        memo.near.changed(flight.valueKey);
        // Past two requests' time the value is worth more to those who wait than the store's answer.
        Deadline deadline =
                tenure.deadline().min(engine.within(engine.requestTimeout().multipliedBy(2)));
        engine.send(
                        "fill of " + memo.policy.name(),
                        deadline,
                        () -> engine.backend().commit(commit))
                .whenComplete((reply, failure) -> filled(value, reply, failure, grant));
    }

    private void filled(@Nullable V value, @Nullable CommitReply reply, @Nullable Throwable failure, Grant from) {
        memo.near.changed(flight.valueKey);
        if (failure != null) {
            memo.fillFailed(flight.key, failure);
        } else if (reply instanceof CommitReply.Conflict) {
            overtaken = true;
        }
        if (!(reply instanceof CommitReply.Committed)) flight.giveBack(from.owner());
        done(value, reply instanceof CommitReply.Committed);
        if (reply instanceof CommitReply.Committed committed) {
            memo.warm(flight.key, flight.valueKey, value, committed.version());
        }
    }

    private void doneUnstored(@Nullable V value) {
        boolean held = tenure != null && tenure.isHeld();
        release(Quiet.NONE, ending -> {
            if (held && ending == Ending.LOST) overtaken = true;
            done(value, false);
        });
    }

    private void done(@Nullable V value, boolean stored) {
        over(true, stored);
        if (overtaken) flight.finishOvertaken(value);
        else flight.finish(value, Source.LED);
    }

    private void failed(Throwable failure) {
        LoadFailedException told = new LoadFailedException(
                memo.describe(flight.key) + " could not be computed: " + Failures.describe(failure)
                        + "; nothing was stored",
                failure);
        Quiet quiet = Quiet.NONE;
        if (grant != null && !(failure instanceof Error)) {
            FailureNote note = FailureNote.of(grant.tokens().first(), memo.policy.sharesFailures(), failure);
            quiet = new Quiet(memo.policy.failureWindow(), note.encode());
        }
        release(quiet, ending -> {
            over(false, false);
            flight.failed(told);
        });
    }

    /** Tells how it ended, or that it is not known, once the store has had time for two requests. */
    private void release(Quiet quiet, Consumer<Ending> then) {
        if (tenure == null) {
            then.accept(Ending.RELEASED);
            return;
        }
        CompletableFuture<Ending> released = tenure.release(quiet);
        AtomicBoolean told = new AtomicBoolean();
        Scheduled impatience = released.isDone()
                ? () -> false
                : engine.timer().after(engine.requestTimeout().multipliedBy(2), () -> {
                    if (told.compareAndSet(false, true)) then.accept(Ending.UNKNOWN);
                });
        released.whenComplete((ending, failure) -> {
            boolean unused = impatience.cancel();
            if (told.compareAndSet(false, true)) then.accept(ending == null ? Ending.UNKNOWN : ending);
        });
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
