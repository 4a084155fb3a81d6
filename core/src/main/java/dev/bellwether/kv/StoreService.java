// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.codec.Codec;
import dev.bellwether.engine.Engine;
import dev.bellwether.store.KvStore;
import dev.bellwether.store.Transactions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The stores and transactions of one engine, for the facade. Thread-safe. */
public final class StoreService {
    private final Engine engine;
    private final Set<Watcher<?, ?>> watchers = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public StoreService(Engine engine) {
        this.engine = engine;
    }

    /** @throws IllegalArgumentException if the class cannot be a key */
    public <K, V> KvStore<K, V> store(String name, Class<K> keys, Codec<V> values) {
        return new BlockingStore<>(new TypedStore<>(engine, name, keys, values), this);
    }

    public Transactions transactions() {
        return new RetryingTransactions(engine);
    }

    /** Ends the watches; stores and transactions then fail by the engine's closing. */
    public void close() {
        closed = true;
        List.copyOf(watchers).forEach(Watcher::close);
    }

    <K, V> Watcher<K, V> started(Watcher<K, V> watcher) {
        if (closed) throw engine.closed();
        watchers.add(watcher);
        watcher.start();
        if (closed) watcher.close(); // closed between the two lines above
        return watcher;
    }

    void ended(Watcher<?, ?> watcher) {
        watchers.remove(watcher);
    }

    /** How many values of another shape this store has met and taken as absent. */
    public static long unreadable(KvStore<?, ?> store) {
        return typed(store).format().unreadable();
    }

    static <K, V> TypedStore<K, V> typed(KvStore<K, V> store) {
        if (store instanceof BlockingStore<K, V> ours) return ours.typed();
        throw new IllegalArgumentException("store " + store.name() + " was not opened by a Bellwether");
    }
}
