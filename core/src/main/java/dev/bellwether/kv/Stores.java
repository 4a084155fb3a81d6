// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.codec.Codec;
import dev.bellwether.engine.Engine;
import dev.bellwether.store.KvStore;
import dev.bellwether.store.Transactions;

/** Makes stores and transactions for the facade. */
public final class Stores {
    private Stores() {}

    /** @throws IllegalArgumentException if the class cannot be a key */
    public static <K, V> KvStore<K, V> open(Engine engine, String name, Class<K> keys, Codec<V> values) {
        return new BlockingStore<>(new TypedStore<>(engine, name, keys, values));
    }

    public static Transactions transactions(Engine engine) {
        return new RetryingTransactions(engine);
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
