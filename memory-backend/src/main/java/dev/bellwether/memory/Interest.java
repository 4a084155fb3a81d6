// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvKey;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/** Keys read as absent whose first value shall be hinted. Bounded: the oldest gives way, with its hint. */
final class Interest {
    /** Fewer would tell groundless hints to caches of many absent keys; more would keep more memory for nobody. */
    private static final int MOST = 65_536;

    private final Set<KvKey> keys = new LinkedHashSet<>();

    void add(KvKey key, Moment moment) {
        if (!keys.add(key) || keys.size() <= MOST) return;
        Iterator<KvKey> oldest = keys.iterator();
        moment.hint(new Hint.Changed(oldest.next()));
        oldest.remove();
    }

    boolean remove(KvKey key) {
        return !keys.isEmpty() && keys.remove(key);
    }

    void clear() {
        keys.clear();
    }
}
