// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memo;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The expensive call. May throw anything; callers see it as the cause of {@code LoadFailedException}. */
@FunctionalInterface
public interface Loader<K, V extends @Nullable Object> {
    V load(K key) throws Exception;

    /** For a call that decides how its result is kept. */
    @FunctionalInterface
    interface WithContext<K, V extends @Nullable Object> {
        V load(K key, Context<V> context) throws Exception;
    }

    /** For a source that answers many keys at once. A key left out of the answer counts as null. */
    @FunctionalInterface
    interface Bulk<K, V extends @Nullable Object> {
        Map<K, V> loadAll(Set<K> keys) throws Exception;
    }

    /** For a source that is asynchronous itself. Must not block. */
    @FunctionalInterface
    interface Async<K, V extends @Nullable Object> {
        CompletionStage<V> load(K key, Context<V> context);
    }

    /** One computation under way, and how its result is to be kept. For the loader only, and only until it returns. */
    interface Context<V extends @Nullable Object> {
        /** How long this value is fresh, in place of the memoizer's own rule; zero stores nothing. */
        void ttl(Duration ttl);

        void tag(String... tags);

        /** The value goes to those who wait for it and is not stored. */
        void doNotStore();

        /** The value that is being replaced, for a conditional request. */
        Optional<V> previous();

        /** How long this computation may go on leading. */
        Duration remaining();

        /** Whether the value would be stored if it were ready now. */
        boolean isLeading();

        /** Larger than that of every earlier computation of this key; 0 while the store is down. */
        long fence();
    }
}
