// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Which thread has which lock through a JDK view, and how often. Thread-safe; each entry is its own thread's. */
final class ThreadHolds {
    private record Key(Object lock, Thread thread) {}

    /** One thread's hold of one lock. */
    static final class Entry {
        final BoundLease lease;
        int count = 1;

        Entry(BoundLease lease) {
            this.lease = lease;
        }
    }

    private final ConcurrentHashMap<Key, Entry> entries = new ConcurrentHashMap<>();

    @Nullable
    Entry own(Object lock) {
        return entries.get(new Key(lock, Thread.currentThread()));
    }

    void put(Object lock, BoundLease lease) {
        lease.bindTo(Thread.currentThread());
        entries.put(new Key(lock, Thread.currentThread()), new Entry(lease));
    }

    void remove(Object lock) {
        entries.remove(new Key(lock, Thread.currentThread()));
    }

    void forget(BoundLease lease) {
        entries.values().removeIf(entry -> entry.lease == lease);
    }

    int size() {
        return entries.size();
    }
}
