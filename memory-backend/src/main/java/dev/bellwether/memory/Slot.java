// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import org.jspecify.annotations.Nullable;

/** What stands under one key until something else does: a value, or a remembered delete. Never changed but for the arm. */
final class Slot extends Expiring {
    static final long NEVER = Long.MAX_VALUE;

    private final Entries home;
    private final KvEntry entry;
    private final long endsAtMillis;

    /** Written without the lock by armed reads; see {@link Entries}. */
    private volatile boolean armed;

    Slot(Entries home, KvEntry entry, long endsAtMillis) {
        this.home = home;
        this.entry = entry;
        this.endsAtMillis = endsAtMillis;
    }

    KvEntry entry() {
        return entry;
    }

    KvKey key() {
        return entry.key();
    }

    long endsAtMillis() {
        return endsAtMillis;
    }

    boolean isLive(long nowMillis) {
        return nowMillis < endsAtMillis;
    }

    boolean isArmed() {
        return armed;
    }

    void arm() {
        armed = true;
    }

    long bytes() {
        Bytes value = value();
        return key().name().length() + (value == null ? 0L : value.length());
    }

    @Nullable
    Bytes value() {
        return entry instanceof KvEntry.Present present ? present.value() : null;
    }

    @Override
    long sweep(Moment moment) {
        home.reclaim(this, moment);
        return GONE;
    }
}
