// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.time.Durations;
import java.nio.ByteBuffer;
import java.time.Duration;

/** Lengths of time as scripts take them. */
final class Lengths {
    /** 139 years: added to any clock in microseconds it stays exact in a script's numbers. */
    private static final long LONGEST = 1L << 42;

    private Lengths() {}

    static long millis(Duration length) {
        return Math.min(Durations.millis(length), LONGEST);
    }

    static Duration micros(long micros) {
        return Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1_000);
    }

    /** Seven bytes, most significant first. */
    static ByteBuffer putSeven(ByteBuffer buffer, long number) {
        for (int shift = 48; shift >= 0; shift -= 8) buffer.put((byte) (number >>> shift));
        return buffer;
    }
}
