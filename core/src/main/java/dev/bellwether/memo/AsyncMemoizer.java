// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memo;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The same acts as {@link Memoizer}; failures arrive in the future. Never blocks; loaders run on the Bellwether's
 * executor. Cancelling one future leaves the flight to the others.
 */
public interface AsyncMemoizer<K, V extends @Nullable Object> {
    CompletableFuture<V> get(K key);

    CompletableFuture<V> get(K key, Loader.Async<? super K, V> loader);

    CompletableFuture<Map<K, V>> getAll(Collection<? extends K> keys);

    CompletableFuture<Optional<V>> getIfPresent(K key);

    CompletableFuture<V> refresh(K key);

    CompletableFuture<Void> put(K key, V value);

    CompletableFuture<Void> invalidate(K key);

    CompletableFuture<Void> invalidateAll(Collection<? extends K> keys);

    CompletableFuture<Void> clear();

    Memoizer<K, V> sync();
}
