// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.store;

import dev.bellwether.queue.Delivery;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Reads, checks and effects that happen together or not at all. Thread-safe. */
public interface Transactions {
    /**
     * Runs the body and commits; if an entry that it read has changed, runs it again, for at most {@code maxWait}. The body
     * may run several times: let it compute and speak to {@code tx}, nothing else. What the body throws comes out
     * unchanged and nothing is committed; if it threw over entries that did not stand together, it runs again instead.
     *
     * @throws dev.bellwether.error.WaitTimeoutException naming the contended keys; nothing was committed
     * @throws dev.bellwether.error.LeaseLostException if a required lease is gone; nothing was committed
     * @throws dev.bellwether.error.RejectedException if a queue is at its bound or a counter at its limit, or if a value
     *     is no counter; nothing was committed
     * @throws dev.bellwether.error.BackendUnavailableException if the store did not serve; nothing was committed
     * @throws dev.bellwether.error.OutcomeUnknownException if asking again could not settle whether the commit took
     *     place, or on interrupt while it was under way
     * @throws java.util.concurrent.CancellationException on interrupt before that; the flag stays set
     */
    <X extends Exception> void run(Action<X> body) throws X;

    /** As {@link #run}, with a result. */
    <T, X extends Exception> T call(Call<T, X> body) throws X;

    /**
     * As {@link #run}, acknowledging the delivery in the same commit: its effects happen exactly once.
     *
     * @throws dev.bellwether.error.LeaseLostException if a newer delivery has replaced this one; nothing was committed
     */
    <X extends Exception> void run(Delivery<?> delivery, Action<X> body) throws X;

    /**
     * One try; says what stood in the way instead of running again. A queue at its bound and an unfit counter are still a
     * {@code RejectedException}.
     */
    <X extends Exception> CommitResult attempt(Action<X> body) throws X;

    /** One try without waiting; the body, which runs at once on this thread, must not read. */
    CompletableFuture<CommitResult> submit(Consumer<? super Transaction> body);

    /** Adds to a counter, as {@link Transaction#add} alone in a transaction, and returns the new number. */
    <K> long add(KvStore<K, Long> store, K key, long amount);

    /** A view whose {@code run} and {@code call} keep trying for this long (10 s). */
    Transactions maxWait(Duration limit);

    /** What a transaction does. */
    @FunctionalInterface
    interface Action<X extends Exception> {
        void run(Transaction tx) throws X;
    }

    /** What a transaction does and returns. */
    @FunctionalInterface
    interface Call<T, X extends Exception> {
        T call(Transaction tx) throws X;
    }
}
