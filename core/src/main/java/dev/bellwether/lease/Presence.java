// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Engine;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** What the number of a process means to people: one entry a process, kept while it renews leases. Thread-safe. */
final class Presence {
    /*
     * A record of a lease names its process by number, which keeps the label out of every acquisition. The label is
     * written when a lease is renewed for the first time, so a lock held for a moment costs nothing more, and again at
     * most each REFRESH.
     */
    private static final Duration LIFE = Duration.ofSeconds(60);

    private static final long REFRESH_NANOS = Duration.ofSeconds(20).toNanos();

    private final Engine engine;
    private final AtomicLong nextNanos;

    Presence(Engine engine) {
        this.engine = engine;
        this.nextNanos = new AtomicLong(engine.timer().nanoTime());
    }

    /** Writes the entry if it is due, without waiting for it. */
    void touch(Duration term) {
        long now = engine.timer().nanoTime();
        long due = nextNanos.get();
        if (now - due < 0 || !nextNanos.compareAndSet(due, now + REFRESH_NANOS)) return;
        // A long lease is renewed more rarely than the entry would live.
        Duration life = term.compareTo(LIFE) > 0 ? term : LIFE;
        Commit commit = Commit.of(new Put(key(engine.process()), Bytes.utf8(engine.label()), Expiry.after(life)));
        CompletableFuture<?> unused = engine.send(
                "label of this process",
                engine.within(LIFE),
                () -> engine.backend().commit(commit));
    }

    /** Labels by process; a number where there is none. */
    CompletableFuture<Map<Long, String>> labels(Set<Long> processes) {
        List<KvKey> keys = processes.stream()
                .filter(process -> process != engine.process())
                .map(this::key)
                .toList();
        CompletableFuture<List<KvEntry>> found = keys.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : engine.send(
                                "labels of processes",
                                engine.within(Duration.ofSeconds(5)),
                                () -> engine.backend().read(new Query.Keys(keys, false)))
                        .thenApply(Reading::entries);
        return found.thenApply(entries -> named(processes, entries));
    }

    private Map<Long, String> named(Set<Long> processes, List<KvEntry> entries) {
        Map<KvKey, String> labels = new HashMap<>();
        for (KvEntry entry : entries) {
            if (entry instanceof KvEntry.Present present) {
                labels.put(present.key(), present.value().utf8());
            }
        }
        Map<Long, String> named = new HashMap<>();
        for (long process : processes) {
            String unknown = "process " + Long.toHexString(process);
            named.put(
                    process, process == engine.process() ? engine.label() : labels.getOrDefault(key(process), unknown));
        }
        return named;
    }

    private KvKey key(long process) {
        // A partition of its own, whatever view of the namespace this is.
        return KvKey.of(engine.prefix("p", Long.toHexString(process)));
    }
}
