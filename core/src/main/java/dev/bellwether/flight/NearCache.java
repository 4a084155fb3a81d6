// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Version;
import dev.bellwether.time.Timer;
import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/** What this process remembers of the store, decoded. Thread-safe; a hit allocates nothing. */
final class NearCache<V> {
    /*
     * Never fresh once it could be known to be stale (law M6)
     * -------------------------------------------------------
     * A hint may arrive before, between or after the reply of the read that it concerns, on another thread. So each key
     * belongs to one of many stripes with a counter, and a hint counts its stripe up. A read takes the count before it
     * is sent; what it brings is stored under that count and is fresh only while the count stands. Whatever the order in
     * which threads put and count, an entry older than a hint is never served. Two keys of one stripe cost each other a
     * miss, never a wrong answer; with four stripes an entry that is rare.
     *
     * A doubt counts the generation up: hints may be missing. Such entries are not fresh either, but may stand in when
     * the source or the store fails, since nothing is known against them; an entry whose stripe was counted may not.
     *
     * Caffeine bounds the number; expiry is judged here, with one reading of the clock for both ends. A sweep that runs
     * only while there are entries lets go of what nobody asks for any more.
     */
    private static final Duration SWEEP = Duration.ofSeconds(10);

    private final Timer timer;
    private final boolean off;
    private final Cache<Object, Entry<V>> entries;
    private final AtomicIntegerArray stripes;
    private final AtomicInteger generation = new AtomicInteger();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private volatile @Nullable Scheduled sweep;
    private volatile boolean closed;

    /**
     * Time stamps are the timer's nanoseconds.
     *
     * @param earlyFrom from then on a renewal before its time is possible
     */
    @SuppressWarnings("ArrayRecordComponent") // neither compared nor handed out
    record Entry<V>(
            @Nullable V value,
            Version version,
            long freshUntil,
            long keptUntil,
            long earlyFrom,
            int costMillis,
            Epochs.Mark[] marks,
            Mark mark) {}

    /** What was counted before a read was sent. */
    record Mark(int stripe, int count, int generation) {}

    NearCache(int maxEntries, Timer timer) {
        this.timer = timer;
        this.off = maxEntries == 0;
        this.entries = Caffeine.newBuilder()
                .maximumSize(maxEntries)
                .executor(Runnable::run)
                .build();
        int size = Math.max(16, Integer.highestOneBit(Math.min(maxEntries, 1 << 18)) << 2);
        this.stripes = new AtomicIntegerArray(off ? 16 : size);
    }

    /** The entry that is fresh at that time, or null. */
    @Nullable
    Entry<V> fresh(Object key, long nowNanos) {
        Entry<V> entry = entries.getIfPresent(key);
        return entry != null && isCurrent(entry) && entry.freshUntil - nowNanos > 0 ? entry : null;
    }

    boolean isOff() {
        return off;
    }

    /** An entry that nothing is known against, however old within what is kept: for when better cannot be had. */
    @Nullable
    Entry<V> fallback(Object key) {
        Entry<V> entry = entries.getIfPresent(key);
        if (entry == null || !isUnchanged(entry)) return null;
        for (Epochs.Mark mark : entry.marks) {
            if (!mark.standsIn()) return null;
        }
        return entry.keptUntil - timer.nanoTime() > 0 ? entry : null;
    }

    private boolean isUnchanged(Entry<V> entry) {
        return stripes.get(entry.mark.stripe) == entry.mark.count;
    }

    private boolean isCurrent(Entry<V> entry) {
        return isUnchanged(entry) && entry.mark.generation == generation.get() && marksHold(entry);
    }

    private boolean marksHold(Entry<V> entry) {
        for (Epochs.Mark mark : entry.marks) {
            if (!mark.holds()) return false;
        }
        return true;
    }

    /** To be taken before the read is sent. */
    Mark mark(KvKey key) {
        int stripe = stripe(key);
        return new Mark(stripe, stripes.get(stripe), generation.get());
    }

    void put(Object key, Entry<V> entry) {
        if (off || closed) return;
        if (isCurrent(entry)) entries.put(key, entry);
        planSweep();
    }

    private void planSweep() {
        if (closed || !sweeping.compareAndSet(false, true)) return;
        sweep = timer.after(SWEEP, this::sweep);
        if (closed) sweep.cancel();
    }

    private void sweep() {
        long now = timer.nanoTime();
        entries.asMap().values().removeIf(entry -> entry.keptUntil - now <= 0 || !isUnchanged(entry));
        sweeping.set(false);
        if (!entries.asMap().isEmpty()) planSweep();
    }

    /** What is known of the key is out of date. */
    void changed(KvKey key) {
        if (!off) stripes.incrementAndGet(stripe(key));
    }

    /** Hints may be missing. */
    void doubt() {
        generation.incrementAndGet();
    }

    void forget(Object key) {
        if (!off) entries.invalidate(key);
    }

    long size() {
        return entries.asMap().size();
    }

    void close() {
        closed = true;
        Scheduled waiting = sweep;
        if (waiting != null) waiting.cancel();
        entries.invalidateAll();
    }

    private int stripe(KvKey key) {
        int hash = key.name().hashCode();
        return (hash ^ hash >>> 16) & stripes.length() - 1;
    }
}
