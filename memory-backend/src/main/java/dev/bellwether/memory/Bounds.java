// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.error.RejectedException;

/** How much the store holds, and how much it may. Every method needs the store's lock. */
final class Bounds {
    private final long maxEntries;
    private final long maxBytes;
    private long entries;
    private long bytes;

    Bounds(long maxEntries, long maxBytes) {
        this.maxEntries = maxEntries;
        this.maxBytes = maxBytes;
    }

    boolean unlimited() {
        return maxEntries == Long.MAX_VALUE && maxBytes == Long.MAX_VALUE;
    }

    void add(long moreEntries, long moreBytes) {
        entries += moreEntries;
        bytes += moreBytes;
    }

    boolean admit(long moreEntries, long moreBytes) {
        return (moreEntries <= 0 || moreEntries <= maxEntries - entries)
                && (moreBytes <= 0 || moreBytes <= maxBytes - bytes);
    }

    RejectedException refusal(long moreEntries, long moreBytes) {
        boolean many = moreEntries > 0 && moreEntries > maxEntries - entries;
        String full = many
                ? entries + " entries of at most " + maxEntries + " stand there and " + moreEntries
                        + " more were asked for"
                : bytes + " bytes of at most " + maxBytes + " stand there and " + moreBytes + " more were asked for";
        String remedy = many ? "maxEntries" : "maxBytes";
        return new RejectedException(
                "the memory backend is full: " + full + "; nothing happened. Remove something, give entries a time to"
                        + " live, or raise " + remedy + " when the backend is built",
                null);
    }

    long bytes() {
        return bytes;
    }

    String shownMaxEntries() {
        return shown(maxEntries);
    }

    String shownMaxBytes() {
        return shown(maxBytes);
    }

    private static String shown(long bound) {
        return bound == Long.MAX_VALUE ? "none" : Long.toString(bound);
    }
}
