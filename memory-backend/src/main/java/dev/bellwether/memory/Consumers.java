// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Claim;
import dev.bellwether.spi.RequestId;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The consumers of a queue: who waits to be woken, and the last claim of each. */
final class Consumers {
    private record Remembered(RequestId id, Claim claim, long until) {}

    private final Map<Long, Long> idleUntil = new LinkedHashMap<>();
    private final Map<Long, Remembered> claims = new HashMap<>();

    @Nullable
    Claim recall(@Nullable RequestId id, Moment moment) {
        Remembered last = id == null ? null : claims.get(id.process());
        return last == null || !last.id().equals(id) || moment.isPast(last.until()) ? null : last.claim();
    }

    void remember(RequestId id, Claim claim, Moment moment) {
        claims.put(id.process(), new Remembered(id, claim, moment.after(RequestMemory.SPAN)));
    }

    void register(long process, long until) {
        idleUntil.put(process, until);
    }

    void unregister(long process) {
        idleUntil.remove(process);
    }

    /** Takes one that still waits off the list; false if there is none. */
    boolean wakeOne(Moment moment) {
        boolean waits = anyWaits(moment);
        if (waits) dropFirst();
        return waits;
    }

    boolean anyWaits(Moment moment) {
        while (!idleUntil.isEmpty()) {
            if (!moment.isPast(idleUntil.values().iterator().next())) return true;
            dropFirst();
        }
        return false;
    }

    void settle(Moment moment) {
        idleUntil.values().removeIf(moment::isPast);
        claims.values().removeIf(last -> moment.isPast(last.until()));
    }

    /** When the last of all this will have ended, or {@link Expiring#GONE} if there is nothing. */
    long lastEnd() {
        long end = 0;
        for (long idle : idleUntil.values()) end = Math.max(end, idle);
        for (Remembered last : claims.values()) end = Math.max(end, last.until());
        return end == 0 ? Expiring.GONE : end;
    }

    boolean isEmpty() {
        return idleUntil.isEmpty() && claims.isEmpty();
    }

    private void dropFirst() {
        Iterator<Long> first = idleUntil.values().iterator();
        first.next();
        first.remove();
    }
}
