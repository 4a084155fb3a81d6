// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.util.OptionalLong;

/** What stands under a key at one moment. */
public sealed interface KvEntry {
    KvKey key();

    /** That of the value, of a remembered delete, or {@link Version#NONE}. */
    Version version();

    /** A value, and the store's millisecond from which on it is absent. */
    record Present(KvKey key, Version version, Bytes value, OptionalLong expiresAtMillis) implements KvEntry {}

    /** No value; the version is that of a remembered delete, else {@link Version#NONE}. */
    record Absent(KvKey key, Version version) implements KvEntry {}
}
