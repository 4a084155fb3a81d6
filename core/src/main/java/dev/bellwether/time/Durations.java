// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.time;

import java.time.Duration;

/** The one place where lengths of time are checked, saturated and turned into numbers. */
public final class Durations {
    /** Longer lengths mean "for ever": about 142,000 years, exact in a double and safe to add to any clock. */
    public static final long MAX_MILLIS = 1L << 52;

    private Durations() {}

    /** Nanoseconds, saturated at about 146 years, which no deadline arithmetic overflows. */
    public static long nanos(Duration length) {
        if (length.isNegative()) return 0;
        return length.toSeconds() >= (Long.MAX_VALUE >> 1) / 1_000_000_000L ? Long.MAX_VALUE >> 1 : length.toNanos();
    }

    /** Milliseconds, any fraction rounded up so that nothing ends before it was asked to, saturated at the maximum. */
    public static long millis(Duration length) {
        if (length.isNegative() || length.isZero()) return 0;
        if (length.toSeconds() >= MAX_MILLIS / 1_000) return MAX_MILLIS;
        return length.toSeconds() * 1_000 + (length.toNanosPart() + 999_999) / 1_000_000;
    }

    /**
     * The length itself if it is zero or more.
     *
     * @throws IllegalArgumentException naming the setting
     */
    public static Duration notNegative(String what, Duration length) {
        if (length.isNegative()) {
            throw new IllegalArgumentException(what + " is " + length + "; it must be zero or longer");
        }
        return length;
    }

    /**
     * The length itself if it is longer than zero.
     *
     * @throws IllegalArgumentException naming the setting
     */
    public static Duration positive(String what, Duration length) {
        if (length.isNegative() || length.isZero()) {
            throw new IllegalArgumentException(what + " is " + length + "; it must be longer than zero");
        }
        return length;
    }

    /**
     * The length itself if it lies between the bounds.
     *
     * @throws IllegalArgumentException naming the setting and the bounds
     */
    public static Duration between(String what, Duration length, Duration least, Duration most) {
        if (length.compareTo(least) < 0 || length.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    what + " is " + length + "; it must lie between " + least + " and " + most);
        }
        return length;
    }

    /** The shorter of the two. */
    public static Duration min(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }
}
