// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.error.LeaseLostException.Reason;
import dev.bellwether.lease.Tenure.Ending;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Tokens;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One grant of the store, and the lease in this process that stands on it now. */
final class Hold {
    /*
     * Handing on
     * ----------
     * A released lease goes to the next waiter of this process without a word to the store: the same hold, the next fence
     * of the granted range. Only a lease of the whole is handed on, and only by the one place where it can end: whoever
     * moves `current` from the ending lease to the next one. A loss takes `current` away, so either the loss meets the
     * next lease and tells that, or the hand-over fails and the next waiter waits for the store.
     *
     * The store knows the process, not its threads. Therefore no hand-over while a commit fenced by the ending lease is
     * in flight: it would be applied inside the next holder's section. An ended lease begins no commit: its state changes
     * before the count is read.
     */
    /** More would let one process keep a busy lock to itself; the range of fences is one larger. */
    static final int MOST_HANDOVERS = 32;

    /** A process with long sections would keep the lock from the others for longer than they can tell from a fault. */
    private static final long LONGEST_NANOS = 20_000_000;

    private final LockService service;
    private final LineKey key;
    private final @Nullable LocalLine line;
    private final Tenure tenure;
    private final long grantedNanos;
    private final AtomicReference<@Nullable HeldLease> current = new AtomicReference<>();
    private int handed; // changed only by who holds `current`

    Hold(
            LockService service,
            LineKey key,
            @Nullable LocalLine line,
            Owner owner,
            Tokens tokens,
            long sentNanos,
            LockOptions options) {
        this.service = service;
        this.key = key;
        this.line = line;
        this.grantedNanos = service.engine().timer().nanoTime();
        Duration atMost = options.atMost();
        Deadline limit =
                atMost == null ? null : new Deadline(service.engine().timer(), sentNanos + Durations.nanos(atMost));
        this.tenure = new Tenure(
                service.engine(),
                key.lease(),
                owner,
                tokens,
                key.term(),
                key.share(),
                sentNanos,
                limit,
                this::lost,
                this::renewing);
    }

    LockService service() {
        return service;
    }

    LineKey key() {
        return key;
    }

    Tenure tenure() {
        return tenure;
    }

    /** Whether what is left of the term is worth giving to user code. */
    boolean isWorthHaving() {
        return Durations.nanos(tenure.remaining()) > Durations.nanos(key.term()) / 4;
    }

    /** The first lease on it. */
    HeldLease begin(LockOptions options) {
        HeldLease first = new HeldLease(this, tenure.tokens().first(), options);
        current.set(first);
        service.began(first);
        return first;
    }

    void keep() {
        tenure.keep();
    }

    /** Gives back what nobody got. */
    void drop() {
        service.leave(key, tenure.owner(), false);
        if (line != null) line.over(this);
    }

    private void renewing() {
        service.presence().touch(key.term());
        HeldLease lease = current.get();
        if (lease != null && lease.isOrphaned()) service.reclaim(lease);
    }

    private void lost(Reason reason) {
        HeldLease lease = current.getAndSet(null);
        if (lease != null) lease.lose(reason);
        if (line != null) line.over(this);
    }

    /** Ends the lease: hands it on, or tells the store. */
    CompletableFuture<Ending> release(HeldLease ending) {
        HeldLease last = ending;
        while (line != null && mayHandOn(ending)) {
            Waiter next = line.next();
            if (next == null) break;
            HeldLease successor = new HeldLease(this, tenure.tokens().first() + ++handed, next.options());
            if (!current.compareAndSet(last, successor)) {
                line.again(next);
                return CompletableFuture.completedFuture(Ending.LOST);
            }
            service.began(successor);
            if (next.grant(successor)) {
                line.trim();
                return CompletableFuture.completedFuture(Ending.RELEASED);
            }
            service.ended(successor);
            last = successor;
        }
        if (!current.compareAndSet(last, null)) return CompletableFuture.completedFuture(Ending.LOST);
        return giveBack(ending);
    }

    private boolean mayHandOn(HeldLease ending) {
        return handed
                        < Math.min(
                                MOST_HANDOVERS,
                                tenure.tokens().last() - tenure.tokens().first())
                && service.engine().timer().nanoTime() - grantedNanos < LONGEST_NANOS
                && Durations.nanos(tenure.remaining()) >= Durations.nanos(key.term()) / 2
                && !ending.hasCommitInFlight()
                && !service.isClosed();
    }

    private CompletableFuture<Ending> giveBack(HeldLease ending) {
        CompletableFuture<Ending> answer = tenure.release(quiet(ending.options));
        service.track(answer);
        // The next one of this process asks right behind the release, without waiting for its answer.
        if (line != null) line.over(this);
        return answer;
    }

    private Quiet quiet(LockOptions options) {
        long held = service.engine().timer().nanoTime() - grantedNanos;
        long left = Durations.nanos(options.atLeast()) - held;
        return left > 0 ? new Quiet(Duration.ofNanos(left), Bytes.EMPTY) : Quiet.NONE;
    }

    /** Frees a hold whose belief has ended before the store's. */
    void leaveEarly() {
        service.leave(key, tenure.owner(), false);
    }

    CompletableFuture<Ending> shut(HeldLease lease) {
        if (!current.compareAndSet(lease, null)) return CompletableFuture.completedFuture(Ending.LOST);
        lease.lose(Reason.CLOSED);
        return giveBack(lease);
    }
}
