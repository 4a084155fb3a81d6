// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** Grows with every change of a name; about the store's microseconds at the change. */
public record Version(long value) implements Comparable<Version> {
    /** What never existed, or is forgotten. */
    public static final Version NONE = new Version(0);

    @Override
    public int compareTo(Version other) {
        return Long.compare(value, other.value);
    }
}
