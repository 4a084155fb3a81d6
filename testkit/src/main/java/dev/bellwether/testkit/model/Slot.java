// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Version;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What is stored under a key: a value, or (null) a remembered delete; neither from {@code endsAtMillis} on. */
record Slot(Version version, @Nullable Bytes value, long endsAtMillis) {
    static final long NEVER = Long.MAX_VALUE;

    boolean hasEnded(long nowMillis) {
        return nowMillis >= endsAtMillis;
    }

    OptionalLong expiresAtMillis() {
        return endsAtMillis == NEVER ? OptionalLong.empty() : OptionalLong.of(endsAtMillis);
    }
}
