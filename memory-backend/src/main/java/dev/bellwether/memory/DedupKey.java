// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;

/** A deduplication key that a message holds until its window ends, also after it was acknowledged. */
final class DedupKey extends Expiring {
    private final QueueCell home;
    private final Bytes key;
    private final Item holder;
    private final long until;

    DedupKey(QueueCell home, Bytes key, Item holder, long until) {
        this.home = home;
        this.key = key;
        this.holder = holder;
        this.until = until;
    }

    Bytes key() {
        return key;
    }

    Item holder() {
        return holder;
    }

    long until() {
        return until;
    }

    @Override
    long sweep(Moment moment) {
        home.release(this, moment);
        return GONE;
    }
}
