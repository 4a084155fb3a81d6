// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The same acts as {@link KvStore}; failures arrive in the future. What depends on a future runs on the executor, never
 * on a driver's thread; so does the function given to {@link #update}.
 */
public interface AsyncKvStore<K, V> {
    CompletableFuture<Optional<V>> get(K key);

    CompletableFuture<Entry<K, V>> entry(K key);

    CompletableFuture<Map<K, V>> getAll(Collection<? extends K> keys);

    CompletableFuture<Void> put(K key, V value);

    CompletableFuture<Void> put(K key, V value, Duration ttl);

    CompletableFuture<Void> put(K key, V value, Instant expiry);

    CompletableFuture<Boolean> putIfAbsent(K key, V value);

    CompletableFuture<Boolean> delete(K key);

    CompletableFuture<Boolean> touch(K key, Duration ttl);

    CompletableFuture<V> update(K key, Function<Optional<V>, V> change);

    KvStore<K, V> sync();
}
