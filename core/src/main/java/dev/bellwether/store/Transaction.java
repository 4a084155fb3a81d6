// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.store;

import dev.bellwether.lock.Lease;
import dev.bellwether.queue.Delivery;
import dev.bellwether.queue.Envelope;
import dev.bellwether.queue.WorkQueue;
import java.time.Duration;
import java.util.Optional;

/**
 * One transaction being put together. Effects are kept back until the body has returned. For one thread, and only while
 * the body runs. On a cluster everything in it must lie in one partition: see {@code Bellwether.colocated}.
 *
 * <p>Several effects on one key become one, in their order: the last put or delete counts, additions add up.
 */
public interface Transaction {
    /**
     * Reads, and from then on insists that nobody changes it. Sees this transaction's own writes. Blocks for one request
     * at the first reading of a key.
     *
     * @throws dev.bellwether.error.BackendUnavailableException if the store does not serve
     */
    <K, V> Optional<V> get(KvStore<K, V> store, K key);

    /** Insists that what was read before, inside or outside of this transaction, still stands. */
    Transaction check(Entry<?, ?> seen);

    /** Commits only while the lease is held. */
    Transaction require(Lease lease);

    /** Stores for good. */
    <K, V> Transaction put(KvStore<K, V> store, K key, V value);

    <K, V> Transaction put(KvStore<K, V> store, K key, V value, Duration ttl);

    <K> Transaction delete(KvStore<K, ?> store, K key);

    /**
     * Adds to a counter without reading, hence without conflict; an absent one counts as 0. Its time to live stays. A sum
     * beyond 64 bits rejects the transaction, as does a value that is no counter.
     */
    <K> Transaction add(KvStore<K, Long> store, K key, long amount);

    /** As {@link #add}: lowers a counter to the bound if it is above, or sets an absent one. */
    <K> Transaction min(KvStore<K, Long> store, K key, long bound);

    /** As {@link #add}: raises a counter to the bound if it is below, or sets an absent one. */
    <K> Transaction max(KvStore<K, Long> store, K key, long bound);

    <T> Transaction enqueue(WorkQueue<T> queue, T message);

    <T> Transaction enqueue(WorkQueue<T> queue, T message, Envelope envelope);

    /** Commits only while the delivery is current, and acknowledges it. */
    Transaction acknowledge(Delivery<?> delivery);
}
