// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.spi.Check;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Version;
import dev.bellwether.store.Entry;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What was read under one key, with what is needed to insist on it. */
record StoredEntry<K, V>(
        TypedStore<K, V> store, K key, KvKey place, boolean stands, Version seen, Optional<V> value, OptionalLong end)
        implements Entry<K, V> {
    static <K, V> StoredEntry<K, V> of(TypedStore<K, V> store, K key, KvEntry entry) {
        if (entry instanceof KvEntry.Present present) {
            Optional<V> value = store.format().reads(present.value())
                    ? Optional.of(store.format().decode(key, present.value()))
                    : Optional.empty();
            return new StoredEntry<>(store, key, entry.key(), true, entry.version(), value, present.expiresAtMillis());
        }
        return new StoredEntry<>(
                store, key, entry.key(), false, entry.version(), Optional.empty(), OptionalLong.empty());
    }

    /** That the same stands there still: also a value of another shape, which reads as absent. */
    Check check(boolean orGet) {
        return stands ? new Check.Is(place, seen, orGet) : new Check.Vacant(place, orGet);
    }

    @Override
    public boolean isPresent() {
        return value.isPresent();
    }

    @Override
    public long version() {
        return seen.value();
    }

    @Override
    public Optional<Instant> expiresAt() {
        return end.isPresent() && isPresent() ? Optional.of(Instant.ofEpochMilli(end.getAsLong())) : Optional.empty();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StoredEntry<?, ?> that
                && place.equals(that.place)
                && stands == that.stands
                && seen.equals(that.seen);
    }

    @Override
    public int hashCode() {
        return 31 * place.hashCode() + seen.hashCode();
    }

    @Override
    public String toString() {
        return store.name() + "[" + key + "]" + (isPresent() ? " at version " : " absent at version ") + version();
    }
}
