// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.CommitPart;
import dev.bellwether.error.LeaseLostException;
import dev.bellwether.error.LeaseLostException.Reason;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.lock.Lease;
import dev.bellwether.spi.Mutation;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What a lease of one lock and a lease of several have in common. Thread-safe. */
abstract class BoundLease implements Lease, CommitPart {
    final LockService service;
    final LockOptions options;
    final Loss loss;
    final long sinceNanos;

    BoundLease(LockService service, LockOptions options) {
        this.service = service;
        this.options = options;
        this.loss = new Loss(service.engine());
        this.sinceNanos = service.engine().timer().nanoTime();
    }

    /** Gives it up, in this process at once. Every call gives the same future, which never fails. */
    abstract CompletableFuture<Tenure.Ending> surrender();

    /** Asks for a new term. */
    abstract CompletableFuture<Boolean> prolong();

    /** Declares what time has ended already. */
    abstract void expireIfDue();

    abstract boolean wasReleased();

    /** Gives it back by itself once the thread has ended. */
    abstract void bindTo(Thread thread);

    /** Runs when it ends in whatever way, at once if it has; on a thread that must not block. */
    abstract void whenEnded(Runnable reaction);

    @Override
    public final void ensureHeld() {
        if (isHeld()) return;
        expireIfDue();
        if (loss.cause() == null && wasReleased()) {
            throw new IllegalStateException("the lease of " + name() + " (fence " + fence()
                    + ") was released by its holder; ask before releasing, not after");
        }
        throw lostByStore();
    }

    /** For a release that found itself too late. */
    final LeaseLostException lostByStore() {
        LeaseLostException known = loss.cause();
        if (known == null) return lost(Reason.EXPIRED);
        return new LeaseLostException(Objects.requireNonNull(known.getMessage()), known.reason(), known);
    }

    final LeaseLostException lost(Reason reason) {
        return new LeaseLostException(
                "the lease of " + name() + " (fence " + fence() + ", "
                        + options.lease().toMillis()
                        + " ms) was lost after " + elapsed().toMillis() + " ms: " + because(reason)
                        + ". Stop, and let what it protects compare the fence",
                reason,
                null);
    }

    private static String because(Reason reason) {
        return switch (reason) {
            case EXPIRED -> "the store no longer knows it";
            case SUPERSEDED -> "the store knows a later holder";
            case BROKEN -> "an administrator broke it";
            case UNREACHABLE -> "the store confirmed no renewal in time";
            case PAUSED -> "this process stood still for longer than the lease";
            case AT_MOST_REACHED -> "the limit set by atMost was reached";
            case CLOSED -> "the service that granted it was closed, or its leader resigned";
        };
    }

    final Duration elapsed() {
        return Duration.ofNanos(service.engine().timer().nanoTime() - sinceNanos);
    }

    @Override
    public final Lease onLost(Consumer<? super LeaseLostException> reaction) {
        expireIfDue();
        loss.react(reaction);
        return this;
    }

    @Override
    public final boolean renew() {
        Boolean held = Blocking.take(prolong(), service.answerLimit());
        if (held == null) throw unanswered("renewal", "the old end stands");
        return held;
    }

    @Override
    public final boolean release() {
        boolean held = isHeld();
        CompletableFuture<Tenure.Ending> ending = surrender();
        if (options.quickRelease() && !ending.isDone()) return held;
        Tenure.Ending how = Blocking.uninterruptibly(ending, service.answerLimit());
        if (how == null || how == Tenure.Ending.UNKNOWN) {
            throw unanswered("release", "it is tried on, and free when the lease ends");
        }
        return how == Tenure.Ending.RELEASED;
    }

    private OutcomeUnknownException unanswered(String what, String then) {
        return new OutcomeUnknownException(
                what + " of " + name() + " (fence " + fence() + "): no answer from the store in time; " + then, null);
    }

    @Override
    public final void close() {
        CompletableFuture<Tenure.Ending> ending = surrender();
        if (!options.quickRelease()) Blocking.quietly(ending, service.answerLimit());
    }

    @Override
    public final String partName() {
        return name();
    }

    @Override
    public final Kind partKind() {
        return Kind.LEASE;
    }

    @Override
    public final List<Mutation> mutations() {
        return List.of();
    }

    @Override
    public final String toString() {
        return "Lease[" + name() + ", fence " + fence() + ", " + remaining().toMillis() + " ms]";
    }
}
