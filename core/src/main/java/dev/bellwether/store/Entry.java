// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.store;

import java.time.Instant;
import java.util.Optional;

/** What stood under a key at one moment. Hand it to {@code Transaction.check} to insist that it still does. */
public interface Entry<K, V> {
    K key();

    Optional<V> value();

    boolean isPresent();

    /** Grows with every change of the key; 0 if it never existed, or its end is forgotten. */
    long version();

    /** When the entry ends by the store's clock; empty if never, or if it is absent. */
    Optional<Instant> expiresAt();
}
