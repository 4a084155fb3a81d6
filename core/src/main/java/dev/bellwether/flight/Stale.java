// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import org.jspecify.annotations.Nullable;

/**
 * A value to be replaced, and until when, in the timer's nanoseconds, it may still be used.
 *
 * @param servedUntil while somebody renews it
 * @param standsInUntil when neither source nor store give a better one
 */
record Stale<V>(@Nullable V value, long servedUntil, long standsInUntil) {
    boolean serves(long nowNanos) {
        return servedUntil - nowNanos > 0;
    }

    boolean standsIn(long nowNanos) {
        return standsInUntil - nowNanos > 0;
    }
}
