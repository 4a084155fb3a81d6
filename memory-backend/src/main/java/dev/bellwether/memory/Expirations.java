// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What ends when, to the second, so that its memory can be reclaimed soon after. Moving something costs as much as adding
 * it, whatever else there is. Under the store's lock.
 */
final class Expirations {
    static final long NEVER = Long.MAX_VALUE;

    private final TreeMap<Long, Set<Object>> bySecond = new TreeMap<>();

    void add(Object what, long endMillis) {
        if (endMillis != NEVER)
            bySecond.computeIfAbsent(second(endMillis), second -> new HashSet<>())
                    .add(what);
    }

    void remove(Object what, long endMillis) {
        if (endMillis == NEVER) return;
        Long second = second(endMillis);
        Set<Object> ending = bySecond.get(second);
        if (ending != null && ending.remove(what) && ending.isEmpty()) bySecond.remove(second);
    }

    /** Rounded up: when the second comes, everything in it has ended. */
    private static long second(long endMillis) {
        return Math.floorDiv(endMillis, 1_000L) + 1;
    }

    /** Hands out what has ended, at most so many; true if there is more. */
    boolean drain(long nowMillis, int most, Consumer<Object> reclaim) {
        int left = most;
        while (!bySecond.isEmpty()) {
            Map.Entry<Long, Set<Object>> first = bySecond.firstEntry();
            if (first.getKey() * 1_000 > nowMillis) return false;
            Iterator<Object> ending = first.getValue().iterator();
            while (ending.hasNext()) {
                if (left-- == 0) return true;
                Object what = ending.next();
                ending.remove();
                reclaim.accept(what);
            }
            bySecond.remove(first.getKey(), first.getValue());
        }
        return false;
    }

    /** When something ends next, {@link #NEVER} if nothing does. */
    long nextMillis() {
        return bySecond.isEmpty() ? NEVER : bySecond.firstKey() * 1_000;
    }
}
