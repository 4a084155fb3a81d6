// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.spi.Bytes;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Loaders that would wait for themselves, directly or through each other, as far as one process can see. */
final class Circles {
    /** A computation that waits. */
    interface Wait {
        void end();
    }

    private Circles() {}

    /** @throws IllegalStateException if the present thread computes this very key */
    static <K> void refuseRecursion(Memo<K, ?> memo, K key, Bytes name) {
        for (Leading<?, ?> each = Leading.current(); each != null; each = each.outer()) {
            if (each.flight.memo == memo && each.flight.id.name().equals(name)) {
                throw new IllegalStateException(
                        "the loader of " + memo.describe(key) + " asks for its own key; it would wait for itself");
            }
        }
    }

    /**
     * Notes that the computation of the present thread, if it is in one, waits for these flights. Each notes before it
     * looks along the chain, so of two that close a circle at least one sees it.
     *
     * @param callers leave again if the wait is refused
     * @throws IllegalStateException if one of the flights waits for that computation
     */
    static <V> Wait waiting(List<? extends Flight<?, V>> flights, List<Caller<V>> callers) {
        Leading<?, ?> within = Leading.current();
        if (within == null) return () -> {};
        Flight<?, ?> own = within.flight;
        own.waitsFor = flights;
        Set<Flight<?, ?>> seen = new HashSet<>();
        ArrayDeque<Flight<?, ?>> open = new ArrayDeque<>(flights);
        while (!open.isEmpty()) {
            Flight<?, ?> next = open.remove();
            if (next == own) {
                own.waitsFor = List.of();
                callers.forEach(caller -> caller.result.cancel(false));
                throw new IllegalStateException(
                        "loaders wait for each other in a circle: " + own + " waits, through others, for itself");
            }
            if (seen.add(next)) open.addAll(next.waitsFor);
        }
        return () -> own.waitsFor = List.of();
    }
}
