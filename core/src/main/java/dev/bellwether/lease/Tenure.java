// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Engine;
import dev.bellwether.error.LeaseLostException.Reason;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest.Share;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Subscription;
import dev.bellwether.spi.Tokens;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One hold of one lease, as the process that holds it believes: until when, and kept alive until it is released, lost or
 * at its limit. Thread-safe; asking is local and free.
 */
public final class Tenure {
    /*
     * Belief ends first
     * -----------------
     * The deadline counts from before the granting or renewing request was sent, less 1 % for clocks that run at
     * different rates and 5 ms for coarse ones, so it lies before the store's own end (law L1). It only moves when the
     * store has said yes. A renewal is due at a third of the term, so two can go missing; one that meets an error is sent
     * again until the deadline (L4): by Engine.send for as long as that insists, and by a fresh renewal when it has given
     * up before the deadline (a store that rejects, or a term longer than Engine.send insists). At the deadline a timer of
     * its own declares the loss, whatever the renewal is doing; whoever asks before that timer has run gets it declared
     * by asking.
     *
     * After a doubt the store may have forgotten the hold (failover, flush). Then, and only then, a renewal asks for
     * reinstatement: in normal times a late copy of it could resurrect a lease that was released. For the same reason a
     * release waits for the answer of a reinstating renewal.
     */
    private static final long MARGIN_NANOS = 5_000_000;

    /** Pause before a failed renewal is tried anew, doubled each time; never more than a sixth of the term. */
    private static final long FIRST_RETRY_NANOS = 50_000_000;

    private enum State {
        HELD,
        RELEASING,
        ENDED
    }

    private final Engine engine;
    private final LeaseName name;
    private final Owner owner;
    private final Tokens tokens;
    private final Duration ttl;
    private final Share share;
    private final @Nullable Deadline limit;
    private final Consumer<Reason> onLost;
    private final Runnable onRenewal;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile long deadlineNanos;
    private volatile State state = State.HELD;
    private boolean keeping;
    private int failures;
    private @Nullable Scheduled renewal;
    private @Nullable Scheduled end;
    private @Nullable Subscription doubts;
    private @Nullable CompletableFuture<Boolean> reinstating;

    /**
     * @param sentNanos the timer's time before the granting request was sent
     * @param limit no renewal goes beyond it; null for none
     * @param onLost told once, on a thread that must not block, when the hold ends otherwise than by release
     */
    public Tenure(
            Engine engine,
            LeaseName name,
            Owner owner,
            Tokens tokens,
            Duration ttl,
            long sentNanos,
            @Nullable Deadline limit,
            Consumer<Reason> onLost) {
        this(engine, name, owner, tokens, ttl, Share.WHOLE, sentNanos, limit, onLost, () -> {});
    }

    /**
     * @param share what it holds of the name's capacity
     * @param onRenewal run each time a renewal is due, on a thread that must not block, before it is sent; it may release
     */
    public Tenure(
            Engine engine,
            LeaseName name,
            Owner owner,
            Tokens tokens,
            Duration ttl,
            Share share,
            long sentNanos,
            @Nullable Deadline limit,
            Consumer<Reason> onLost,
            Runnable onRenewal) {
        this.engine = engine;
        this.name = name;
        this.owner = owner;
        this.tokens = tokens;
        this.ttl = ttl;
        this.share = share;
        this.limit = limit;
        this.onLost = onLost;
        this.onRenewal = onRenewal;
        this.deadlineNanos = deadline(sentNanos);
    }

    private long deadline(long sentNanos) {
        long length = Durations.nanos(ttl);
        long until = sentNanos + Math.max(length / 2, length - length / 100 - MARGIN_NANOS);
        return limit != null && limit.nanos() - until < 0 ? limit.nanos() : until;
    }

    public LeaseName name() {
        return name;
    }

    public Owner owner() {
        return owner;
    }

    public Tokens tokens() {
        return tokens;
    }

    /** Whether this process may believe that it holds the lease. */
    public boolean isHeld() {
        return state == State.HELD && deadlineNanos - engine.timer().nanoTime() > 0;
    }

    /** What certainly remains; zero once it has ended. */
    public Duration remaining() {
        return state == State.HELD
                ? Duration.ofNanos(Math.max(0, deadlineNanos - engine.timer().nanoTime()))
                : Duration.ZERO;
    }

    public Deadline deadline() {
        return new Deadline(engine.timer(), deadlineNanos);
    }

    /** Watches the deadline, and renews until released, lost or at the limit. */
    public Tenure keep() {
        lock.lock();
        try {
            if (state != State.HELD || keeping) return this;
            keeping = true;
            doubts = engine.hints().onAny(hint -> {
                if (hint instanceof Hint.Doubt) renew(true);
            });
            watch();
            planRenewal();
        } finally {
            lock.unlock();
        }
        return this;
    }

    /**
     * As {@link #keep}, but a hold that the store has forgotten stays lost: for a name that keeps no counter of tokens,
     * where what was forgotten looks like what somebody has broken.
     */
    public Tenure keepUnlessForgotten() {
        lock.lock();
        try {
            if (state != State.HELD || keeping) return this;
            keeping = true;
            watch();
            planRenewal();
        } finally {
            lock.unlock();
        }
        return this;
    }

    private void watch() {
        if (end != null) end.cancel();
        end = engine.timer().after(deadline().remaining(), this::reachedEnd);
    }

    private void planRenewal() {
        if (limit != null && deadlineNanos == limit.nanos()) return; // the last term: it ends by itself
        long third = Durations.nanos(ttl) / 3;
        long due = (long) (third * (0.9 + engine.timer().random() / 5));
        renewal = engine.timer().after(Duration.ofNanos(due), this::renewalDue);
    }

    private void renewalDue() {
        onRenewal.run();
        renew(false);
    }

    /** Declares the loss now if the deadline has passed and its timer has not run yet. */
    public void expireIfDue() {
        if (state == State.HELD && deadlineNanos - engine.timer().nanoTime() <= 0) reachedEnd();
    }

    private void reachedEnd() {
        long late;
        lock.lock();
        try {
            if (state != State.HELD) return;
            late = engine.timer().nanoTime() - deadlineNanos;
            if (late < 0) {
                watch();
                return;
            }
        } finally {
            lock.unlock();
        }
        if (limit != null && limit.isPast()) {
            lost(Reason.AT_MOST_REACHED);
        } else {
            lost(late > Durations.nanos(ttl) / 3 ? Reason.PAUSED : Reason.UNREACHABLE);
        }
    }

    /** A new term; true once the store has confirmed it, false if the hold has ended. */
    public CompletableFuture<Boolean> renew() {
        return renew(false);
    }

    /** Reinstating, it asks the store whether the hold stands, and to restore it if it was forgotten. */
    private CompletableFuture<Boolean> renew(boolean reinstate) {
        if (state != State.HELD) return CompletableFuture.completedFuture(false);
        long[] sent = new long[1];
        Commit commit = Commit.of(new Renew(name, owner, ttl, reinstate ? tokens : null, share));
        CompletableFuture<CommitReply> reply = engine.send("renewal of " + name.name(), deadline(), () -> {
            sent[0] = engine.timer().nanoTime();
            return engine.backend().commit(commit);
        });
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        if (reinstate) remember(done);
        reply.whenComplete((answer, failure) -> {
            if (failure != null) {
                planRetry(reinstate);
                done.completeExceptionally(failure);
            } else {
                settle(answer, sent[0], reinstate, done);
            }
        });
        return done;
    }

    private void remember(CompletableFuture<Boolean> asked) {
        lock.lock();
        try {
            reinstating = asked;
        } finally {
            lock.unlock();
        }
    }

    private void settle(CommitReply answer, long sentNanos, boolean reinstate, CompletableFuture<Boolean> done) {
        CompletableFuture<Boolean> verdict = answer instanceof CommitReply.Conflict && !reinstate ? underDoubt() : null;
        if (verdict == null) {
            done.complete(renewed(answer, sentNanos));
        } else {
            // A plain renewal met a store that has forgotten; whether the hold comes back is being asked.
            verdict.whenComplete((held, failure) -> done.complete(failure == null && held));
        }
    }

    private @Nullable CompletableFuture<Boolean> underDoubt() {
        lock.lock();
        try {
            return reinstating != null && !reinstating.isDone() ? reinstating : null;
        } finally {
            lock.unlock();
        }
    }

    private void planRetry(boolean reinstate) {
        lock.lock();
        try {
            if (state != State.HELD || !keeping || engine.isClosed()) return;
            long pause = Math.min(FIRST_RETRY_NANOS << Math.min(failures++, 20), Durations.nanos(ttl) / 6);
            if (renewal != null) renewal.cancel();
            renewal = engine.timer().after(Duration.ofNanos(pause), () -> renew(reinstate));
        } finally {
            lock.unlock();
        }
    }

    private boolean renewed(CommitReply reply, long sentNanos) {
        if (reply instanceof CommitReply.Conflict conflict) {
            lost(reason(conflict));
            return false;
        }
        lock.lock();
        try {
            if (state != State.HELD) return false;
            long until = deadline(sentNanos);
            if (until - deadlineNanos > 0) deadlineNanos = until;
            failures = 0;
            if (keeping) {
                if (renewal != null) renewal.cancel();
                planRenewal();
                watch();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private Reason reason(CommitReply.Conflict conflict) {
        for (Obstacle obstacle : conflict.obstacles()) {
            if (obstacle instanceof Obstacle.NotHeld notHeld) return reason(notHeld.now());
        }
        return Reason.EXPIRED;
    }

    private Reason reason(LeaseState now) {
        boolean stillThere = now.holds().stream().anyMatch(hold -> hold.owner().equals(owner));
        if (stillThere) return Reason.BROKEN;
        return now.lastToken() > tokens.last() ? Reason.SUPERSEDED : Reason.EXPIRED;
    }

    private void lost(Reason reason) {
        if (end(State.ENDED)) onLost.accept(reason);
    }

    /** Stops believing and renewing, if that has not happened before. */
    private boolean end(State next) {
        Subscription hints;
        lock.lock();
        try {
            if (state != State.HELD) return false;
            state = next;
            if (renewal != null) renewal.cancel();
            if (end != null) end.cancel();
            hints = doubts;
            doubts = null;
        } finally {
            lock.unlock();
        }
        if (hints != null) hints.close();
        return true;
    }

    /**
     * Stops believing and renewing without telling the store: for who releases in a commit of his own. False if it had
     * ended before.
     */
    public boolean stop() {
        return end(State.ENDED);
    }

    /** Ends it as lost, telling {@code onLost}, if it is still held. */
    public void abandon(Reason reason) {
        lost(reason);
    }

    /** How a release ended. */
    public enum Ending {
        RELEASED,
        LOST,
        /** No answer came; the store frees it when the term ends. */
        UNKNOWN
    }

    /** Ends the hold here at once, and in the store until the deadline. Idempotent in effect: the first call counts. */
    public CompletableFuture<Ending> release(Quiet quiet) {
        boolean heldTillNow = isHeld();
        Deadline until = deadline();
        if (!end(State.RELEASING)) return CompletableFuture.completedFuture(Ending.LOST);
        CompletableFuture<?> before;
        lock.lock();
        try {
            before = reinstating;
        } finally {
            lock.unlock();
        }
        Commit commit = Commit.of(new Release(name, owner, quiet));
        int[] sends = new int[1];
        CompletableFuture<CommitReply> answer = (before == null ? CompletableFuture.completedFuture(null) : before)
                .handle((done, failure) -> 0)
                .thenCompose(ready -> engine.send("release of " + name.name(), afterAll(until), () -> {
                    sends[0]++;
                    return engine.backend().commit(commit);
                }));
        return answer.handle((reply, failure) -> {
            state = State.ENDED;
            if (failure != null) return Ending.UNKNOWN;
            if (reply instanceof CommitReply.Committed) return Ending.RELEASED;
            // A repeated release finds its own work done: nobody else could have ended a hold within its term.
            return heldTillNow && sends[0] > 1 ? Ending.RELEASED : Ending.LOST;
        });
    }

    /** A release is worth one attempt even when the term is over. */
    private Deadline afterAll(Deadline until) {
        Deadline least = engine.within(engine.requestTimeout());
        return until.nanos() - least.nanos() > 0 ? until : least;
    }
}
