// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.util.List;

/** What to read. */
public sealed interface Query {
    /** Whether the next change of each key read shall be hinted once. */
    boolean arm();

    /**
     * These keys, answered in this order, a repeated key repeatedly. Those of one partition are read at one moment;
     * across partitions there is no common moment.
     */
    record Keys(List<KvKey> keys, boolean arm) implements Query {
        public Keys {
            keys = List.copyOf(keys);
            if (keys.isEmpty()) throw new IllegalArgumentException("a read names no key");
        }
    }

    /**
     * The present entries of one partition from {@code from} inclusive to {@code to} exclusive in byte order, at most
     * {@code limit}, from the end if {@code reverse}. Needs {@link Power#ORDERED_SCAN}; never armed.
     */
    record Range(KvKey from, KvKey to, int limit, boolean reverse) implements Query {
        public Range {
            if (!from.partition().equals(to.partition())) {
                throw new IllegalArgumentException("a range spans two partitions; list each by itself");
            }
            if (limit < 1)
                throw new IllegalArgumentException("the limit of a range is " + limit + "; it must be 1 or more");
        }

        @Override
        public boolean arm() {
            return false;
        }
    }
}
