// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.KvEntry;
import org.jspecify.annotations.Nullable;

/** How much there is, and how much there may be. Under the store's lock. */
final class Quota {
    private final long maxEntries;
    private final long maxBytes;
    private long entries;
    private long bytes;

    /** What a commit that is being judged would add beyond what stands. */
    private long pendingEntries;

    private long pendingBytes;

    Quota(long maxEntries, long maxBytes) {
        this.maxEntries = maxEntries;
        this.maxBytes = maxBytes;
    }

    boolean isBounded() {
        return maxEntries != Long.MAX_VALUE || maxBytes != Long.MAX_VALUE;
    }

    void begin() {
        pendingEntries = 0;
        pendingBytes = 0;
    }

    /** Why there is no room for so many more, or null; what fits is counted as pending until the next begin. */
    @Nullable
    String refusal(long moreEntries, long moreBytes) {
        pendingEntries += moreEntries;
        pendingBytes += moreBytes;
        if (entries + pendingEntries > maxEntries && pendingEntries > 0) {
            return "the memory backend holds " + entries + " entries and messages, its bound is " + maxEntries
                    + "; raise maxEntries, give entries a ttl, or delete some";
        }
        if (bytes + pendingBytes > maxBytes && pendingBytes > 0) {
            return "the memory backend holds " + bytes + " bytes, its bound is " + maxBytes
                    + "; raise maxBytes, give entries a ttl, or delete some";
        }
        return null;
    }

    void take(KvEntry entry) {
        if (entry instanceof KvEntry.Present present)
            add(1, present.key().name().length() + present.value().length());
    }

    void give(KvEntry entry) {
        if (entry instanceof KvEntry.Present present)
            add(-1L, -(long) present.key().name().length() - present.value().length());
    }

    void add(long moreEntries, long moreBytes) {
        entries += moreEntries;
        bytes += moreBytes;
    }
}
