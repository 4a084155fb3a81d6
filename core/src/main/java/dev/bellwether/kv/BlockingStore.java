// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.spi.Expiry;
import dev.bellwether.store.AsyncKvStore;
import dev.bellwether.store.Entry;
import dev.bellwether.store.KeyRange;
import dev.bellwether.store.KvStore;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The blocking face of a store. */
final class BlockingStore<K, V> implements KvStore<K, V> {
    /** How long {@code update} keeps trying. */
    static final Duration UPDATE = Duration.ofSeconds(10);

    private final TypedStore<K, V> store;
    private final StoreService service;
    private final AsyncStore<K, V> async;

    BlockingStore(TypedStore<K, V> store, StoreService service) {
        this.service = service;
        this.store = store;
        this.async = new AsyncStore<>(store, this);
    }

    TypedStore<K, V> typed() {
        return store;
    }

    private <T extends @Nullable Object> T await(Function<Deadline, Step<?, T>> act) {
        Deadline deadline = store.deadline();
        return act.apply(deadline).await(store.engine(), deadline);
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public Optional<V> get(K key) {
        return entry(key).value();
    }

    @Override
    public Entry<K, V> entry(K key) {
        return await(deadline -> store.entry(key, deadline));
    }

    @Override
    public Map<K, V> getAll(Collection<? extends K> keys) {
        return await(deadline -> store.getAll(keys, deadline));
    }

    @Override
    public void put(K key, V value) {
        put(key, value, Expiry.NEVER);
    }

    @Override
    public void put(K key, V value, Duration ttl) {
        put(key, value, Expiry.after(ttl));
    }

    @Override
    public void put(K key, V value, Instant expiry) {
        put(key, value, new Expiry.At(expiry));
    }

    private void put(K key, V value, Expiry expiry) {
        boolean unused = await(deadline -> store.put(key, value, expiry, deadline));
    }

    @Override
    public boolean putIfAbsent(K key, V value) {
        return await(deadline -> store.putIfAbsent(key, value, deadline));
    }

    @Override
    public boolean delete(K key) {
        return await(deadline -> store.delete(key, deadline));
    }

    @Override
    public boolean touch(K key, Duration ttl) {
        Durations.notNegative("the time to live", ttl);
        return await(deadline -> store.touch(key, ttl, deadline));
    }

    @Override
    public V update(K key, Function<Optional<V>, V> change) {
        Conflicts conflicts = new Conflicts(store.engine(), store.engine().within(UPDATE));
        do {
            StoredEntry<K, V> seen = (StoredEntry<K, V>) entry(key);
            V next = change.apply(seen.value());
            if (await(deadline -> store.replace(seen, next, deadline))) return next;
        } while (conflicts.awaitNext());
        throw contended(store.name(), key, conflicts);
    }

    static WaitTimeoutException contended(String store, Object key, Conflicts conflicts) {
        return new WaitTimeoutException(
                "store " + store + ", key " + key + ": others were faster " + conflicts.tries() + " times within "
                        + UPDATE.toSeconds() + " s; nothing happened",
                null);
    }

    @Override
    public Stream<Entry<K, V>> scan() {
        return scan(KeyRange.all());
    }

    @Override
    public Stream<Entry<K, V>> scan(K from, K to) {
        return scan(KeyRange.between(from, to));
    }

    @Override
    public Stream<Entry<K, V>> scan(KeyRange<K> range) {
        return new Listing<>(store, range).entries();
    }

    @Override
    public long count(KeyRange<K> range) {
        return new Listing<>(store, range).count();
    }

    @Override
    public long deleteAll(KeyRange<K> range) {
        return new Listing<>(store, range).deleteAll();
    }

    @Override
    public Watch watch(Collection<? extends K> keys, Consumer<? super Entry<K, V>> reaction) {
        return service.started(new Watcher<>(store, List.copyOf(keys), reaction, service::ended));
    }

    @Override
    public AsyncKvStore<K, V> async() {
        return async;
    }

    @Override
    public String toString() {
        return "store " + name();
    }
}
