// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** How a value is computed, whatever kind of loader the user gave. Runs user code on the calling thread. */
@FunctionalInterface
interface Loading<K, V> {
    /** Calls {@code done} once with a value or a failure, now or later, on any thread. */
    void load(K key, LoadContext<V> context, BiConsumer<@Nullable V, @Nullable Throwable> done);

    /** A loader that answers by returning. */
    interface Blocking<K, V> {
        @Nullable
        V load(K key, LoadContext<V> context) throws Exception;
    }

    static <K, V> Loading<K, V> blocking(Blocking<K, V> loader) {
        return (key, context, done) -> {
            V value;
            try {
                value = loader.load(key, context);
            } catch (Throwable failure) { // also errors: nobody may be left waiting
                done.accept(null, failure);
                return;
            }
            done.accept(value, null);
        };
    }
}
