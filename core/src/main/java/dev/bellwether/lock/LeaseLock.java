// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Lock;

/**
 * A lock that grants leases. Immutable and thread-safe; options return a changed copy, so {@code lock.fair();} alone does
 * nothing.
 */
public interface LeaseLock {
    String name();

    /**
     * Waits in line for at most {@code maxWait} (30 s), then holds until released, renewing by itself.
     *
     * @throws dev.bellwether.error.WaitTimeoutException when the wait ends; nothing is held and the place in line is gone
     * @throws dev.bellwether.error.BackendUnavailableException nothing is held
     * @throws dev.bellwether.error.OutcomeUnknownException it may be held by nobody for up to one lease, then frees itself
     * @throws dev.bellwether.error.ClosedException nothing is held
     * @throws java.util.concurrent.CancellationException on interrupt (the flag stays set); nothing is held
     */
    Lease acquire();

    /** As {@link #acquire()} with this limit, zero for one look. */
    Lease acquire(Duration maxWait);

    /** One look, no waiting in line; a taken lock is not written to. Blocks for one round trip. */
    Optional<Lease> tryAcquire();

    /**
     * Acquires, runs, releases. What the body throws comes out unchanged.
     *
     * @throws dev.bellwether.error.LeaseLostException if the body ended normally but not under the lease
     */
    <X extends Exception> void run(Action<X> body) throws X;

    /** As {@link #run}, with a result. */
    <T, X extends Exception> T call(Call<T, X> body) throws X;

    /** As {@link #run} without waiting; false, and nothing was run, if the lock is taken or cooling down. */
    <X extends Exception> boolean runIfFree(Action<X> body) throws X;

    /** How long a caller waits (30 s). */
    LeaseLock maxWait(Duration limit);

    /** How soon a dead holder is replaced (10 s, at least 100 ms); a living one renews until it releases. */
    LeaseLock lease(Duration lease);

    /** The name stays taken for at least this long after it was granted, even when released earlier (0). */
    LeaseLock atLeast(Duration hold);

    /** Renewal stops after this (never); whoever works on has lost the lease. */
    LeaseLock atMost(Duration hold);

    /** Strict order of arrival across the fleet, for some throughput. All users of a name should agree. */
    LeaseLock fair();

    /** {@code run}, {@code call} and {@code runIfFree} interrupt their body when the lease is lost. */
    LeaseLock interruptOnLoss();

    /** {@code close} and {@code release} do not wait for the store's answer. */
    LeaseLock quickRelease();

    AsyncLeaseLock async();

    /**
     * A re-entrant, thread-owned view for code that wants the JDK's type. Entering again costs nothing; {@code lock()}
     * ends with {@code WaitTimeoutException} at {@code maxWait}; the last {@code unlock()} throws
     * {@code LeaseLostException} if the lock was lost on the way. All views of one lock know each other. A lock whose
     * thread has ended is given back at its next renewal, with a warning in the log. There are no conditions.
     */
    Lock asLock();

    /** What is done under a lease. */
    @FunctionalInterface
    interface Action<X extends Exception> {
        void run(Lease lease) throws X;
    }

    /** What is computed under a lease. */
    @FunctionalInterface
    interface Call<T, X extends Exception> {
        T call(Lease lease) throws X;
    }
}
