// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.error.LeaseLostException;
import dev.bellwether.error.LeaseLostException.Reason;
import dev.bellwether.lock.Election;
import dev.bellwether.lock.Lease;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One process's standing candidacy. Thread-safe. */
final class Candidacy implements Election {
    /*
     * One term after the other
     * ------------------------
     * Whoever takes the lease out of `term` ends that term: a loss, a resignation, a close. The reactions go through one
     * serial queue in that order, and the next candidature begins behind the revocation, so this candidate neither is
     * elected while it still steps down nor steps down while it is being elected. A resigning leader is revoked before its
     * lease is given back: no other leads meanwhile. Candidates stand in strict order, so who resigns goes last.
     */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** A reaction that hangs, or a store that does not answer, holds up {@code close()} no longer than this. */
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);

    private final LockService service;
    private final LineKey key;
    private final LockOptions options;
    private final Consumer<? super Lease> onElected;
    private final Consumer<? super LeaseLostException> onRevoked;
    private final Serial reactions;
    private final AtomicReference<@Nullable BoundLease> term = new AtomicReference<>();
    private volatile @Nullable CompletableFuture<BoundLease> standing;
    private volatile boolean withdrawn;
    private boolean told; // confined to the serial queue

    Candidacy(
            LockService service,
            LineKey key,
            LockOptions options,
            Consumer<? super Lease> onElected,
            Consumer<? super LeaseLostException> onRevoked) {
        this.service = service;
        this.key = key;
        this.options = options;
        this.onElected = onElected;
        this.onRevoked = onRevoked;
        this.reactions = new Serial(service.engine());
    }

    void stand() {
        if (withdrawn || service.isClosed()) return;
        CompletableFuture<BoundLease> candidature = service.waitFor(key, options, Waiter.FOR_EVER);
        standing = candidature;
        if (withdrawn) Blocking.drop(candidature);
        candidature.whenComplete((lease, failure) -> {
            if (lease != null) {
                elected(lease);
            } else if (!withdrawn && !service.isClosed()) {
                var unused = service.engine().timer().after(PAUSE, this::stand); // a store that rejects: later again
            }
        });
    }

    private void elected(BoundLease lease) {
        term.set(lease);
        service.presence().touch(key.term());
        if (withdrawn) {
            term.compareAndSet(lease, null);
            lease.surrender();
            return;
        }
        reactions.submit(() -> {
            if (!lease.isHeld()) return;
            told = true;
            onElected.accept(lease);
        });
        lease.whenEnded(() -> ended(lease));
    }

    private void ended(BoundLease lease) {
        if (!term.compareAndSet(lease, null)) return;
        reactions.submit(() -> revoke(lease));
        reactions.submit(this::stand);
    }

    private void revoke(BoundLease lease) {
        if (!told) return;
        told = false;
        LeaseLostException cause = lease.loss.cause();
        onRevoked.accept(cause != null ? cause : lease.lost(Reason.CLOSED));
    }

    @Override
    public boolean isLeader() {
        BoundLease lease = term.get();
        return lease != null && lease.isHeld();
    }

    @Override
    public Optional<Lease> term() {
        BoundLease lease = term.get();
        return lease != null && lease.isHeld() ? Optional.of(lease) : Optional.empty();
    }

    @Override
    public Optional<String> leader() {
        service.ensureOpen();
        return service.administration().holder(key.lease());
    }

    @Override
    public void resign() {
        BoundLease lease = term.getAndSet(null);
        if (lease == null) return;
        reactions.submit(() -> revoke(lease));
        reactions.submit(() -> lease.surrender().whenComplete((how, failure) -> stand()));
    }

    /** Ends the candidacy: done when a term under way is revoked and given back. */
    CompletableFuture<?> withdraw() {
        if (withdrawn) return CompletableFuture.completedFuture(null);
        withdrawn = true;
        service.withdrew(this);
        CompletableFuture<BoundLease> candidature = standing;
        if (candidature != null && !candidature.isDone()) Blocking.drop(candidature);
        BoundLease lease = term.getAndSet(null);
        if (lease == null) return CompletableFuture.completedFuture(null);
        service.ended(lease); // given back here, behind its revocation, not by a service that closes
        CompletableFuture<Tenure.Ending> over = new CompletableFuture<>();
        reactions.submit(() -> revoke(lease));
        reactions.submit(() -> lease.surrender().thenAccept(over::complete));
        return over;
    }

    @Override
    public void close() {
        CompletableFuture<?> over = withdraw();
        if (!reactions.isRunningHere()) Blocking.quietly(over, limit());
    }

    private Deadline limit() {
        return service.engine().within(Durations.min(service.engine().grace(), LONGEST_CLOSE));
    }
}
