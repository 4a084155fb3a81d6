// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Version;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The entries. Looking at one key is thread-safe; everything else needs the store's lock. */
final class Entries {
    /*
     * Readers without the lock
     * ------------------------
     * A slot is immutable and replaced as a whole, so that a reader sees one commit or the other. Its arm is the
     * exception: a reader sets it and then looks whether the slot still stands there; a writer replaces the slot and
     * then looks whether it was armed. One of them sees the other: the writer tells the hint, or the reader reads again.
     * Keys under which no slot stands are armed under the lock, in a bounded set.
     *
     * Order
     * -----
     * The set of keys in order is made at the first range read, for a store that never lists pays nothing for it.
     */
    private final ConcurrentHashMap<KvKey, Slot> slots = new ConcurrentHashMap<>();
    private final Expirations expirations;
    private final Bounds bounds;
    private final Interest absent = new Interest();
    private @Nullable NavigableSet<KvKey> ordered;

    Entries(Expirations expirations, Bounds bounds) {
        this.expirations = expirations;
        this.bounds = bounds;
    }

    KvEntry look(KvKey key, long nowMillis) {
        Slot slot = live(key, nowMillis);
        return slot == null ? absent(key) : slot.entry();
    }

    /** The entry, armed, or null if no slot stands there: then only {@link #lookAndArm} under the lock can arm it. */
    @Nullable
    KvEntry tryLookAndArm(KvKey key, long nowMillis) {
        for (Slot slot = slots.get(key); slot != null; ) {
            if (slot.isArmed()) return entry(slot, nowMillis);
            slot.arm();
            Slot now = slots.get(key);
            if (now == slot) return entry(slot, nowMillis);
            slot = now;
        }
        return null;
    }

    KvEntry lookAndArm(KvKey key, Moment moment) {
        KvEntry found = tryLookAndArm(key, moment.millis());
        if (found != null) return found;
        absent.add(key, moment);
        return absent(key);
    }

    /** The slot if its time has not passed. */
    @Nullable
    Slot live(KvKey key, long nowMillis) {
        Slot slot = slots.get(key);
        return slot != null && slot.isLive(nowMillis) ? slot : null;
    }

    KvEntry.@Nullable Present value(KvKey key, long nowMillis) {
        Slot slot = live(key, nowMillis);
        return slot != null && slot.entry() instanceof KvEntry.Present present ? present : null;
    }

    boolean stands(KvKey key) {
        return slots.containsKey(key);
    }

    /** Of the name and the value, zero if no slot stands there. */
    long bytes(KvKey key) {
        Slot slot = slots.get(key);
        return slot == null ? 0 : slot.bytes();
    }

    void put(KvEntry entry, long endsAtMillis, Moment moment) {
        Slot fresh = new Slot(this, entry, endsAtMillis);
        Slot old = slots.put(entry.key(), fresh);
        if (endsAtMillis != Slot.NEVER) expirations.schedule(fresh, endsAtMillis * 1_000, moment);
        if (old != null) {
            expirations.cancel(old);
            bounds.add(0, fresh.bytes() - old.bytes());
        } else {
            bounds.add(1, fresh.bytes());
            if (ordered != null) ordered.add(entry.key());
        }
        tell(entry.key(), old, moment);
    }

    void remove(KvKey key, Moment moment) {
        Slot old = slots.remove(key);
        if (old == null) return;
        expirations.cancel(old);
        forget(old, moment);
    }

    /** Gives back the memory of a slot whose time has passed. */
    void reclaim(Slot slot, Moment moment) {
        if (slots.remove(slot.key(), slot)) forget(slot, moment);
    }

    /** One moment of a range: at most one more than its limit. */
    List<KvEntry> range(Query.Range range, long nowMillis) {
        List<KvEntry> found = new ArrayList<>();
        if (range.from().compareTo(range.to()) >= 0) return found;
        NavigableSet<KvKey> keys = ordered().subSet(range.from(), true, range.to(), false);
        for (KvKey key : range.reverse() ? keys.descendingSet() : keys) {
            KvEntry.Present present = value(key, nowMillis);
            if (present == null) continue;
            found.add(present);
            if (found.size() > range.limit()) break;
        }
        return found;
    }

    long size() {
        return slots.mappingCount();
    }

    void clear() {
        slots.clear();
        absent.clear();
        ordered = null;
    }

    private void forget(Slot old, Moment moment) {
        bounds.add(-1, -old.bytes());
        if (ordered != null) ordered.remove(old.key());
        tell(old.key(), old, moment);
    }

    private void tell(KvKey key, @Nullable Slot old, Moment moment) {
        // Taking a node out of the map is only a release store; the look at the arm must not overtake it.
        VarHandle.fullFence();
        if (old != null ? old.isArmed() : absent.remove(key)) moment.hint(new Hint.Changed(key));
    }

    private NavigableSet<KvKey> ordered() {
        NavigableSet<KvKey> known = ordered;
        if (known == null) {
            known = new TreeSet<>(slots.keySet());
            ordered = known;
        }
        return known;
    }

    private static KvEntry entry(Slot slot, long nowMillis) {
        return slot.isLive(nowMillis) ? slot.entry() : absent(slot.key());
    }

    private static KvEntry absent(KvKey key) {
        return new KvEntry.Absent(key, Version.NONE);
    }
}
