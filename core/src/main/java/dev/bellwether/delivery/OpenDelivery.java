// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.engine.CommitPart;
import dev.bellwether.engine.Engine;
import dev.bellwether.error.LeaseLostException;
import dev.bellwether.error.LeaseLostException.Reason;
import dev.bellwether.queue.Delivery;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Claim.Handout;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.Receipt;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One delivery in the hands of a worker, from the claim until it is settled. Thread-safe. */
final class OpenDelivery<T> implements Delivery<T>, CommitPart {
    /*
     * Standing
     * --------
     * CURRENT until somebody settles it or it is lost. While a commit of the user's that acknowledges it is on its way
     * (COMMITTING), nobody else settles it, and a heartbeat that finds the receipt stale proves nothing, since that may
     * be the commit's own doing: it is remembered and counts once the commit has ended otherwise.
     *
     * As with a lease, belief ends before the store's: the deadline counts from before the claim or extension was sent,
     * less 1 % and 5 ms. A claim that was sent again may have been executed at its first sending, so that one counts.
     */
    static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    private static final long MARGIN_NANOS = 5_000_000;

    enum Standing {
        CURRENT,
        COMMITTING,
        /** Acknowledged by a commit of the user's. */
        COMMITTED,
        /** Settled by the worker without waiting for the handler: handed back, or out of time. */
        OVER,
        /** Somebody else may have the message, or soon. */
        LOST
    }

    private final Engine engine;
    private final Mailbox<T> box;
    private final Handout handout;
    private final Duration lease;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile long deadlineNanos;
    private volatile Standing standing = Standing.CURRENT;
    private volatile @Nullable Reason reason;
    private volatile @Nullable Wrapping wrapping;
    private volatile @Nullable T message;
    private volatile boolean obsolete;
    private volatile @Nullable Verdict decision;
    private volatile @Nullable Thread thread;
    private long beganNanos;
    private volatile long ranNanos;
    private volatile boolean settling;
    private boolean begun;
    private boolean stale;
    private boolean interrupted;
    private @Nullable Runnable afterCommit;

    OpenDelivery(Mailbox<T> box, Handout handout, Duration lease, long sentNanos) {
        this.engine = box.engine();
        this.box = box;
        this.handout = handout;
        this.lease = lease;
        this.deadlineNanos = deadline(sentNanos);
    }

    private long deadline(long sentNanos) {
        long length = Durations.nanos(lease);
        return sentNanos + Math.max(length / 2, length - length / 100 - MARGIN_NANOS);
    }

    // ---- what the handler sees

    @Override
    public String id() {
        return handout.receipt().id().value();
    }

    @Override
    public T message() {
        return Objects.requireNonNull(message, "not decoded yet");
    }

    @Override
    public int attempt() {
        return handout.failures() + handout.crashes() + 1;
    }

    @Override
    public Instant enqueuedAt() {
        return Mailbox.instant(unwrapped().enqueuedMicros());
    }

    @Override
    public Map<String, String> headers() {
        return unwrapped().headers();
    }

    @Override
    public Duration remaining() {
        return settling || !isOurs()
                ? Duration.ZERO
                : Duration.ofNanos(Math.max(0, deadlineNanos - engine.timer().nanoTime()));
    }

    private boolean isOurs() {
        Standing now = standing;
        return now == Standing.CURRENT || now == Standing.COMMITTING;
    }

    @Override
    public boolean isCurrent() {
        return !remaining().isZero();
    }

    @Override
    public void ensureCurrent() {
        if (!isCurrent()) throw lostException();
    }

    private LeaseLostException lostException() {
        Reason why = reason;
        String how = standing == Standing.COMMITTED || settling
                ? "has been settled already"
                : "is not this worker's any more: another delivery may have begun";
        return new LeaseLostException(
                "message " + id() + " of queue " + box.name() + " " + how, why == null ? Reason.EXPIRED : why, null);
    }

    @Override
    public void retryAfter(Duration delay) {
        decision = new Verdict.Again(RetryPolicy.notNegative(delay), true);
    }

    @Override
    public void bury(String reason) {
        decision = RetryPolicy.buried(reason);
    }

    @Override
    public void release() {
        decision = Verdict.Again.RELEASE;
    }

    // ---- what the worker sees

    Receipt receipt() {
        return handout.receipt();
    }

    int failures() {
        return handout.failures();
    }

    int crashes() {
        return handout.crashes();
    }

    /** Whether nobody has ever handled the message before. */
    boolean isFirst() {
        return receipt().delivery() == 1;
    }

    Standing standing() {
        return standing;
    }

    @Nullable
    Verdict decision() {
        return decision;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /**
     * Reads the envelope: what the message belongs to, before any code of the user's runs.
     *
     * @throws IllegalArgumentException if it cannot be read
     */
    Wrapping unwrap() {
        Wrapping read = wrapping;
        if (read != null) return read;
        read = Wrapping.read(handout.payload());
        wrapping = read;
        return read;
    }

    /** The message of this occurrence; null if its schedule has ended, so that no handler shall see it. */
    void define(@Nullable Wrapping occurrence) {
        obsolete = occurrence == null;
        if (occurrence != null) wrapping = occurrence;
    }

    /**
     * Decodes the message, unless it is obsolete.
     *
     * @throws RuntimeException if it cannot be read
     */
    void open() {
        if (!obsolete) message = box.decode(unwrap());
    }

    boolean isObsolete() {
        return obsolete;
    }

    private Wrapping unwrapped() {
        return Objects.requireNonNull(wrapping, "not decoded yet");
    }

    /** What is enqueued when this delivery ends for good: the next occurrence of a recurring message. */
    Optional<Enqueue> following() {
        Wrapping read = wrapping;
        Wrapping.Turn turn = read == null || obsolete ? null : read.turn();
        return turn == null ? Optional.empty() : Optional.of(Schedules.next(box, turn));
    }

    /** How long it has waited for its first attempt, by the clocks of two processes; zero if nobody can say. */
    Duration waited() {
        Wrapping read = wrapping;
        if (read == null) return Duration.ZERO;
        long micros = engine.timer().epochMicros() - read.enqueuedMicros() - 1_000 * read.delayMillis();
        return Duration.ofNanos(1_000 * Math.max(0, micros));
    }

    /** The handler's thread takes it; false if it has been handed back or lost before. */
    boolean enter() {
        lock.lock();
        try {
            if (standing != Standing.CURRENT || !isCurrent()) return false;
            begun = true;
            thread = Thread.currentThread();
            beganNanos = engine.timer().nanoTime();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The handler's thread leaves it; nobody interrupts it for this delivery from here on. */
    void leave() {
        lock.lock();
        try {
            thread = null;
            ranNanos = engine.timer().nanoTime() - beganNanos;
            if (interrupted) Thread.interrupted();
        } finally {
            lock.unlock();
        }
    }

    boolean isHandledByThisThread() {
        return thread == Thread.currentThread();
    }

    /** The handler is done with it; it stays ours, for the heartbeat, until the store has answered the settlement. */
    void settling() {
        settling = true;
    }

    boolean canBeExtended() {
        return isOurs() && deadlineNanos - engine.timer().nanoTime() > 0;
    }

    boolean isBeingHandled() {
        return thread != null;
    }

    /** How long the handler has run. */
    Duration ran() {
        return Duration.ofNanos(ranNanos);
    }

    /** Takes it back from an executor that has not begun it. */
    boolean recall() {
        lock.lock();
        try {
            if (begun || standing != Standing.CURRENT) return false;
            standing = Standing.OVER;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends it for the handler, who is interrupted; false if it had ended, or is being committed. */
    boolean end(Standing how, Reason why) {
        lock.lock();
        try {
            if (standing == Standing.COMMITTING) stale |= how == Standing.LOST;
            if (standing != Standing.CURRENT) return false;
            reason = why;
            standing = how;
            if (thread != null) {
                interrupted = true;
                thread.interrupt();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The store has confirmed a new lease that counts from this moment. */
    void extended(long sentNanos) {
        long until = deadline(sentNanos);
        lock.lock();
        try {
            if (until - deadlineNanos > 0) deadlineNanos = until;
        } finally {
            lock.unlock();
        }
    }

    // ---- what a transaction sees

    @Override
    public String partName() {
        return id();
    }

    @Override
    public Kind partKind() {
        return Kind.DELIVERY;
    }

    @Override
    public List<Check> checks() {
        return List.of();
    }

    /** The acknowledgement, and for a recurring message its next occurrence. */
    @Override
    public List<Mutation> mutations() {
        List<Mutation> mutations = new ArrayList<>(2);
        mutations.add(new Ack(receipt()));
        following().ifPresent(mutations::add);
        return mutations;
    }

    @Override
    public void begin() {
        lock.lock();
        try {
            if (standing == Standing.COMMITTING) {
                throw new IllegalStateException("message " + id() + " of queue " + box.name()
                        + " is being acknowledged by another transaction; one at a time");
            }
            if (!isCurrent()) throw lostException();
            standing = Standing.COMMITTING;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ended(Ending ending) {
        boolean lost;
        Runnable next;
        lock.lock();
        try {
            if (standing != Standing.COMMITTING) return;
            standing = ending == Ending.COMMITTED ? Standing.COMMITTED : Standing.CURRENT;
            if (standing == Standing.COMMITTED) reason = Reason.SUPERSEDED;
            lost = stale;
            next = afterCommit;
            afterCommit = null;
        } finally {
            lock.unlock();
        }
        if (lost) end(Standing.LOST, Reason.SUPERSEDED);
        if (next != null) next.run();
    }

    /** Runs this once the commit on its way has ended; false, and it does not, if none is. */
    boolean afterCommit(Runnable next) {
        lock.lock();
        try {
            if (standing != Standing.COMMITTING) return false;
            afterCommit = next;
            return true;
        } finally {
            lock.unlock();
        }
    }
}
