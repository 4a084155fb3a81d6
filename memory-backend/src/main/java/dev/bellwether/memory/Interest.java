// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.memory.MemoryBackend.HintList;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.Place;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who wants to know of the next change. Interest is placed before the value is read, and looked for after the value is
 * written, so that one of the two sees the other without a lock. Thread-safe.
 */
final class Interest {
    /** Beyond this, interest is not kept but told at once: a hint without a reason is always allowed. */
    private static final int MOST = 1_000_000;

    private final Set<Place> places = ConcurrentHashMap.newKeySet();

    /** False if it was not kept: then the hint is due now. */
    boolean place(Place place) {
        if (places.size() >= MOST && !places.contains(place)) return false;
        places.add(place);
        return true;
    }

    void changed(KvKey key, HintList hints) {
        if (!places.isEmpty() && places.remove(key)) hints.add(new Hint.Changed(key));
    }

    void freed(LeaseName lease, HintList hints) {
        if (!places.isEmpty() && places.remove(lease)) hints.add(new Hint.Freed(lease));
    }
}
