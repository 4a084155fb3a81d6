// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Typed entries under ordered keys. Thread-safe; needs no closing. Not for implementation outside this library.
 *
 * <p>Each call blocks for at most 5 s, {@link #update} for at most 10 s. Reads fail with
 * {@code BackendUnavailableException}, on interrupt with the JDK's {@code CancellationException}. Writes fail with
 * {@code BackendUnavailableException} (nothing happened) or {@code OutcomeUnknownException} (it may have happened, also
 * on interrupt). A value whose codec has another fingerprint than this store's reads as absent, and is overwritten like
 * any other. Bytes of the right fingerprint that do not decode are a {@code BellwetherException} naming key and type.
 *
 * <p>An entry is absent from the moment its time has passed. A key is its bytes, with those of namespace and store name
 * before it, at most 2,048 in all.
 */
public interface KvStore<K, V> {
    String name();

    Optional<V> get(K key);

    /** What is there, with its version; also for an absent key. */
    Entry<K, V> entry(K key);

    /** Present ones only, in the order of the keys, read at one moment within a partition. Any number of keys. */
    Map<K, V> getAll(Collection<? extends K> keys);

    /** Stores for good: a time to live that stood there is gone. */
    void put(K key, V value);

    /** Stores for so long; zero leaves the key absent. */
    void put(K key, V value, Duration ttl);

    /** Stores until that moment of the store's clock; a past one leaves the key absent. */
    void put(K key, V value, Instant expiry);

    boolean putIfAbsent(K key, V value);

    /** Whether a value stood there. The delete itself is remembered for a minute, so that versions go on growing. */
    boolean delete(K key);

    /** Gives a present entry a new time to live and a new version; false, and nothing happened, if it is absent. */
    boolean touch(K key, Duration ttl);

    /**
     * Replaces the value by a function of it, again if somebody was faster, for at most 10 s. The function must be pure.
     * The time to live stays as it is. What the function throws comes out unchanged, and nothing happened.
     *
     * @return what was stored
     * @throws dev.bellwether.error.WaitTimeoutException if others were faster all the time; nothing happened
     */
    V update(K key, Function<Optional<V>, V> change);

    /**
     * In key order, read page by page as the stream is consumed: not one moment, but each page is one where the backend
     * has the power {@code SNAPSHOT_SCAN}.
     *
     * @throws IllegalStateException if the backend cannot list, or only within a partition: see {@code colocated}
     */
    Stream<Entry<K, V>> scan();

    /** As {@link #scan()}, from the first key inclusive to the other exclusive. */
    Stream<Entry<K, V>> scan(K from, K to);

    /** As {@link #scan()}, within the range and in its direction. */
    Stream<Entry<K, V>> scan(KeyRange<K> range);

    /** How many entries the range holds, counted page by page; where {@link #scan()} works. */
    long count(KeyRange<K> range);

    /** Deletes page by page, each page at once, and says how many entries that were; where {@link #scan()} works. */
    long deleteAll(KeyRange<K> range);

    /**
     * Tells the state of each key now and the latest state after each change, never an older one; intermediate states may
     * be skipped. Expiry is a change. The reaction runs on the executor, one call at a time; what it throws is logged.
     * A change is told within a message, or within about 5 s if messages are lost.
     */
    Watch watch(Collection<? extends K> keys, Consumer<? super Entry<K, V>> reaction);

    AsyncKvStore<K, V> async();

    /** A running watch. Closing ends it: no reaction begins afterwards. */
    interface Watch extends AutoCloseable {
        /** Completes when the watch has ended, by {@link #close} or with the Bellwether it came from. */
        CompletionStage<Void> ended();

        @Override
        void close();
    }
}
