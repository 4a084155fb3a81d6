// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.spi.Expiry;
import dev.bellwether.store.AsyncKvStore;
import dev.bellwether.store.Entry;
import dev.bellwether.store.KvStore;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The asynchronous face of a store. */
final class AsyncStore<K, V> implements AsyncKvStore<K, V> {
    private final TypedStore<K, V> store;
    private final BlockingStore<K, V> sync;

    AsyncStore(TypedStore<K, V> store, BlockingStore<K, V> sync) {
        this.store = store;
        this.sync = sync;
    }

    private Executor executor() {
        return store.engine().executor();
    }

    private <T extends @Nullable Object> CompletableFuture<T> async(Step<?, T> step) {
        return step.async(executor());
    }

    @Override
    public CompletableFuture<Optional<V>> get(K key) {
        return async(store.entry(key, store.deadline()).then(Entry::value));
    }

    @Override
    public CompletableFuture<Entry<K, V>> entry(K key) {
        return async(store.entry(key, store.deadline()));
    }

    @Override
    public CompletableFuture<Map<K, V>> getAll(Collection<? extends K> keys) {
        return async(store.getAll(keys, store.deadline()));
    }

    @Override
    public CompletableFuture<Void> put(K key, V value) {
        return put(key, value, Expiry.NEVER);
    }

    @Override
    public CompletableFuture<Void> put(K key, V value, Duration ttl) {
        return put(key, value, Expiry.after(ttl));
    }

    @Override
    public CompletableFuture<Void> put(K key, V value, Instant expiry) {
        return put(key, value, new Expiry.At(expiry));
    }

    @SuppressWarnings("NullAway") // a Void future has no value but null
    private CompletableFuture<Void> put(K key, V value, Expiry expiry) {
        return async(store.put(key, value, expiry, store.deadline()).then(done -> null));
    }

    @Override
    public CompletableFuture<Boolean> putIfAbsent(K key, V value) {
        return async(store.putIfAbsent(key, value, store.deadline()));
    }

    @Override
    public CompletableFuture<Boolean> delete(K key) {
        return async(store.delete(key, store.deadline()));
    }

    @Override
    public CompletableFuture<Boolean> touch(K key, Duration ttl) {
        Durations.notNegative("the time to live", ttl);
        return async(store.touch(key, ttl, store.deadline()));
    }

    @Override
    public CompletableFuture<V> update(K key, Function<Optional<V>, V> change) {
        CompletableFuture<V> result = new CompletableFuture<>();
        Conflicts conflicts = new Conflicts(store.engine(), store.engine().within(BlockingStore.UPDATE));
        update(key, change, conflicts, result);
        return result;
    }

    /** Reads, changes on the executor, writes; again after a conflict. */
    private void update(K key, Function<Optional<V>, V> change, Conflicts conflicts, CompletableFuture<V> result) {
        if (result.isDone()) return;
        async(store.entry(key, store.deadline()))
                .thenComposeAsync(
                        entry -> {
                            StoredEntry<K, V> seen = (StoredEntry<K, V>) entry;
                            V next = change.apply(seen.value());
                            return async(store.replace(seen, next, store.deadline()))
                                    .thenCompose(stored -> {
                                        if (stored) result.complete(next);
                                        return stored
                                                ? CompletableFuture.completedFuture(false)
                                                : conflicts
                                                        .next()
                                                        .thenApply(again -> again || timedOut(key, conflicts));
                                    });
                        },
                        executor())
                .whenComplete((again, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(Step.unwrapped(failure));
                    } else if (again) {
                        update(key, change, conflicts, result);
                    }
                });
    }

    private boolean timedOut(K key, Conflicts conflicts) {
        throw BlockingStore.contended(store.name(), key, conflicts);
    }

    @Override
    public KvStore<K, V> sync() {
        return sync;
    }
}
