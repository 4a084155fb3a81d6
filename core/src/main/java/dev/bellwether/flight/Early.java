// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

/** When a fresh value is renewed before its time, so that a much read key never expires under its readers. */
final class Early {
    /*
     * XFetch: renew when -delta * ln(U) >= the time to expiry, U evenly spread over (0, 1], delta the cost of the last
     * computation. Starts spread over the readers without any coordination; here a lease guards each, so that one process
     * renews and the others notice. Never in the first half of the ttl, else a computation about as long as the ttl would
     * be renewed for ever.
     */

    /** -ln of the smallest U: earlier than so many costs before the end chance has no say. */
    private static final long MOST_COSTS = 37;

    private Early() {}

    /** The nanoseconds before the end in which a renewal is possible at all; zero where it never is. */
    static long window(long costMillis, long ttlMillis) {
        long half = Math.min(ttlMillis, Long.MAX_VALUE / 4_000_000) * 500_000;
        return Math.min(Math.min(costMillis, Integer.MAX_VALUE) * MOST_COSTS * 1_000_000, half);
    }

    /** @param chance evenly spread over [0, 1); at zero the answer is no */
    static boolean isDue(long costMillis, long leftNanos, double chance) {
        return -costMillis * 1e6 * Math.log(1 - chance) >= Math.max(1, leftNanos);
    }
}
