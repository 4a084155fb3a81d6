// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memo;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.LoadFailedException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.time.Backoff;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Get-or-compute with one leader per key in the fleet. Thread-safe; lives as long as its Bellwether; not for
 * implementation outside, but for fakes in tests.
 */
public interface Memoizer<K, V extends @Nullable Object> {
    /**
     * The value, remembered or computed now. Blocks for at most {@code maxWait} while another leads, plus one look at the
     * store; runs the loader on this thread when this caller leads.
     *
     * @throws LoadFailedException if the loader failed, here or at the leader; nothing was stored
     * @throws WaitTimeoutException if a leader is alive and working but took longer than this caller waits
     * @throws BackendUnavailableException only with {@code whenUnavailable(FAIL)}, or when too many keys are being
     *     computed at once while the store is down
     * @throws java.util.concurrent.CancellationException on interrupt (the flag stays set); others are not disturbed
     * @throws IllegalStateException if the loader of this key asks for this key
     */
    V get(K key);

    /** As {@link #get(Object)}, with this loader in place of the built-in one, this once. */
    V get(K key, Loader<? super K, ? extends V> loader);

    /**
     * A value for each key, in the keys' order; misses go to the bulk loader in one call, or to the loader one by one.
     *
     * @throws LoadFailedException naming the failed keys; the others are stored and can be read
     */
    Map<K, V> getAll(Collection<? extends K> keys);

    /** The remembered value; never computes, never waits for a leader. A remembered null is empty too. */
    Optional<V> getIfPresent(K key);

    /** Computes now, one leader as ever, while readers keep the present value. */
    V refresh(K key);

    /**
     * Stores a value obtained elsewhere, and ends any computation under way.
     *
     * @throws BackendUnavailableException nothing was stored
     * @throws OutcomeUnknownException it may have been stored; repeating is harmless
     */
    void put(K key, V value);

    /**
     * Forgets the value everywhere; what is being computed from older data will not be stored.
     *
     * @throws BackendUnavailableException nothing was forgotten
     * @throws OutcomeUnknownException it may have been forgotten; repeating is harmless
     */
    void invalidate(K key);

    void invalidateAll(Collection<? extends K> keys);

    /** Forgets everything under this memoizer's name, in one step whatever the size. */
    void clear();

    AsyncMemoizer<K, V> async();

    /** What a caller gets when the right answer cannot be had in time. */
    enum Fallback {
        /** An exception that names the cause. */
        FAIL,
        /** The last value if it is younger than {@code staleIfError} allows, else an exception. */
        STALE,
        /** Its own computation, one per process, not stored for others. */
        COMPUTE
    }

    /** Options are copied at {@code build}; for one thread. */
    interface Builder<K, V extends @Nullable Object> {
        /** How long a value is fresh. Required. Zero stores nothing. */
        Builder<K, V> ttl(Duration ttl);

        Builder<K, V> ttl(BiFunction<? super K, ? super V, Duration> ttl);

        /** How long null and {@code Optional.empty()} are remembered (a tenth of the ttl, at most a minute). */
        Builder<K, V> negativeTtl(Duration ttl);

        /** How long a failure is remembered beyond the callers that had joined (0). */
        Builder<K, V> failureTtl(Duration ttl);

        /** How long past its ttl a value is served while one leader renews it in the background (0). */
        Builder<K, V> staleWhileRevalidate(Duration window);

        /** How long past its ttl a value is served when the loader fails (0). */
        Builder<K, V> staleIfError(Duration window);

        /** Tags under which a value can be dropped, see {@code Bellwether.invalidateTag}. */
        Builder<K, V> tags(BiFunction<? super K, ? super V, ? extends Collection<String>> tags);

        /** How long a follower waits for its leader (30 s). */
        Builder<K, V> maxWait(Duration limit);

        /** What a follower gets when its wait ends (STALE). */
        Builder<K, V> whenExhausted(Fallback fallback);

        /** What a caller gets while the backend cannot be reached (COMPUTE, after a stale value if there is one). */
        Builder<K, V> whenUnavailable(Fallback fallback);

        /** How soon a dead leader is replaced (5 s, at least 100 ms); a living one renews. */
        Builder<K, V> lease(Duration lease);

        /** How long one computation may lead (60 s): a hanging one is then replaced and its value not stored. */
        Builder<K, V> atMost(Duration limit);

        /** Entries kept in this process (10 000); 0 turns the near cache off. */
        Builder<K, V> nearCache(int maxEntries);

        /** How followers pace their looks instead of waiting for a wake-up; a limited one also ends the wait. */
        Builder<K, V> polling(Backoff backoff);

        /** Raise it when the meaning of the values changes: older values are then not seen. */
        Builder<K, V> version(int version);

        /** @throws IllegalStateException without a ttl, or if this process has built this name already */
        Memoizer<K, V> build(Loader<? super K, ? extends V> loader);

        Memoizer<K, V> buildWithContext(Loader.WithContext<? super K, V> loader);

        Memoizer<K, V> buildBulk(Loader.Bulk<K, V> loader);

        AsyncMemoizer<K, V> buildAsync(Loader.Async<? super K, V> loader);
    }
}
