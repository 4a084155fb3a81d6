// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Waiting;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.RequestId;
import dev.bellwether.spi.Subscription;
import dev.bellwether.time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The epochs by which many values are dropped in one step: one for each tag, one for each memoizer's {@code clear}. */
final class Epochs {
    /*
     * An epoch is the version of an entry without content. A record carries the versions that it was computed under and
     * counts only while all of them are the present ones: equality, never a comparison of clocks. Dropping is writing
     * the entry anew. An epoch that is absent is unknown, not zero: it is made by put-if-absent, and its new version makes
     * every record of the old ones a miss. It ends 30 days after it was last written, so tags that nobody uses any more
     * leave nothing behind; a record may be missed once for that.
     *
     * What is known here was read with a hint armed, before which the mark was placed: a hint or a doubt that arrives at
     * any time later ends the mark, and with it every near entry that rests on it. So does its eviction from here. After
     * a doubt the mark is as good as ended for what is fresh; what may stand in while the store is down still rests on it.
     */
    private static final Duration KEPT = Duration.ofDays(30);
    private static final int MOST_KNOWN = 100_000;

    /** Epochs that change faster than they can be read count as changed. */
    private static final int MOST_READINGS = 4;

    /** What stands in an epoch that somebody dropped, and in one that was only made. */
    private static final Bytes DROPPED = Bytes.of((byte) 1);

    private static final Bytes MADE = Bytes.of((byte) 0);

    private final Engine engine;
    private final Cache<KvKey, Mark> known = Caffeine.newBuilder()
            .maximumSize(MOST_KNOWN)
            .executor(Runnable::run)
            .evictionListener(Epochs::forgotten)
            .build();
    private final Set<KvKey> clears = ConcurrentHashMap.newKeySet();
    private final Subscription hints;

    /** One epoch as this process knows it. */
    static final class Mark {
        final Bytes name;
        private final CompletableFuture<@Nullable Void> read = new CompletableFuture<>();
        private volatile long version;
        private volatile boolean dropped;
        private volatile boolean ended;
        private volatile boolean doubted;
        private volatile boolean overtaken;
        private volatile @Nullable Mark successor;
        private volatile @Nullable Mark predecessor;

        private Mark(Bytes name) {
            this.name = name;
        }

        /** Whether the epoch is still the one that this mark names. */
        boolean holds() {
            return !ended && !doubted && version != 0;
        }

        /** Whether nothing is known against it, though hints may have been missed. */
        boolean standsIn() {
            for (Mark each = this; each != null; each = each.successor) {
                if (each.ended || (each.version != 0 && each.version != version)) return false;
            }
            return version != 0;
        }

        long version() {
            return version;
        }

        /** Whether it was dropped after the grant of that token, or may have been: both number the store's steps. */
        boolean wasDroppedSince(long token) {
            return version == 0 || overtaken || (dropped && version >= token);
        }

        /** Whether the epoch is known to be this one; not if a hint told of a change since it was asked for. */
        boolean is(long version) {
            return !overtaken && this.version == version;
        }

        private void became(long version, Bytes value) {
            this.dropped = value.equals(DROPPED);
            this.version = version;
            this.predecessor = null;
            read.complete(null);
        }
    }

    Epochs(Engine engine) {
        this.engine = engine;
        this.hints = engine.hints().onAny(this::hinted);
    }

    private void hinted(Hint hint) {
        if (hint instanceof Hint.Changed changed) {
            end(changed.key());
        } else if (hint instanceof Hint.Doubt) {
            known.asMap().values().forEach(mark -> mark.doubted = true);
        }
    }

    private void end(KvKey key) {
        forgotten(key, known.asMap().remove(key), RemovalCause.EXPLICIT);
    }

    /** A mark that no hint can reach any more must not hold: near entries may rest on it. */
    private static void forgotten(@Nullable KvKey key, @Nullable Mark mark, RemovalCause cause) {
        if (mark == null) return;
        mark.overtaken = true;
        mark.ended = true;
    }

    KvKey tag(String tag) {
        return engine.key(engine.prefix("tag", tag));
    }

    /** There is one for each memoizer, so it may stay for ever; its end would drop all values at once. */
    KvKey clear(String memoizer) {
        KvKey key = engine.key(engine.prefix("clear", memoizer));
        clears.add(key);
        return key;
    }

    private Expiry lifeOf(KvKey key) {
        return clears.contains(key) ? Expiry.NEVER : Expiry.after(KEPT);
    }

    /** The mark of an epoch if this process knows it, else null. */
    @Nullable
    Mark known(KvKey key) {
        Mark mark = known.getIfPresent(key);
        return mark != null && mark.holds() ? mark : null;
    }

    /** The present epochs, in the keys' order; made where they are absent. Several who ask share one reading. */
    CompletableFuture<List<Mark>> current(List<KvKey> keys, Deadline deadline) {
        return current(keys, deadline, MOST_READINGS);
    }

    /** Again if one of them changes while the others are being read: what was known of it at the start is old then. */
    private CompletableFuture<List<Mark>> current(List<KvKey> keys, Deadline deadline, int readings) {
        List<Mark> marks = new ArrayList<>(keys.size());
        Map<KvKey, Mark> placed = new LinkedHashMap<>();
        for (KvKey key : keys) {
            Mark mark = known.getIfPresent(key);
            if (mark == null || mark.doubted) {
                Mark fresh = new Mark(key.name());
                mark = known.asMap().merge(key, fresh, Epochs::renewed);
                if (mark == fresh) placed.put(key, fresh);
            }
            marks.add(mark);
        }
        if (!placed.isEmpty()) read(placed, deadline);
        CompletableFuture<?>[] reads = marks.stream().map(mark -> mark.read).toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(reads).thenCompose(done -> {
            boolean overtaken = marks.stream().anyMatch(mark -> mark.overtaken);
            return overtaken && readings > 1
                    ? current(keys, deadline, readings - 1)
                    : CompletableFuture.completedFuture(marks);
        });
    }

    /** A doubted mark is read anew; what ends the new one then ends the old one, too. */
    private static Mark renewed(Mark present, Mark fresh) {
        if (!present.doubted) return present;
        fresh.predecessor = present;
        present.successor = fresh;
        return fresh;
    }

    private void read(Map<KvKey, Mark> placed, Deadline deadline) {
        Query query = new Query.Keys(List.copyOf(placed.keySet()), true);
        engine.send("read of epochs", deadline, () -> engine.backend().read(query))
                .whenComplete((reading, failure) -> {
                    if (failure != null) {
                        placed.forEach((key, mark) -> failed(key, mark, failure));
                        return;
                    }
                    for (KvEntry entry : reading.entries()) {
                        Mark mark = placed.get(entry.key());
                        if (mark == null) continue;
                        if (entry instanceof KvEntry.Present present) {
                            mark.became(present.version().value(), present.value());
                        } else {
                            make(entry.key(), mark, deadline);
                        }
                    }
                });
    }

    /** Nothing was learned: a doubted mark takes its place again, for who must make do with it. */
    private void failed(KvKey key, Mark mark, Throwable failure) {
        Mark before = mark.predecessor;
        boolean unused =
                before == null ? known.asMap().remove(key, mark) : known.asMap().replace(key, mark, before);
        if (before != null && !mark.ended) before.successor = null;
        mark.ended = true;
        mark.read.completeExceptionally(Failures.unwrap(failure));
    }

    /** Its own write consumes the armed hint, so the epoch is read once more; until then it counts as unknown. */
    private void make(KvKey key, Mark mark, Deadline deadline) {
        RequestId id = engine.newRequestId();
        Commit commit = new Commit(id, List.of(new Check.Vacant(key, true)), List.of(new Put(key, MADE, lifeOf(key))));
        engine.send("making of an epoch", deadline, () -> engine.backend().commit(commit))
                .whenComplete((reply, failure) -> {
                    if (failure != null) {
                        failed(key, mark, failure);
                        return;
                    }
                    mark.ended = true;
                    boolean unused = known.asMap().remove(key, mark);
                    if (reply instanceof CommitReply.Committed committed) {
                        mark.became(committed.version().value(), MADE);
                    } else if (reply instanceof CommitReply.Conflict conflict
                            && conflict.obstacles().get(0) instanceof Obstacle.EntryDiffers differs) {
                        mark.became(differs.version().value(), differs.value().orElse(DROPPED));
                    } else {
                        failed(key, mark, new IllegalStateException("an epoch could not be made: " + reply));
                    }
                });
    }

    /** Drops everything that carries the epoch: one step. */
    CompletableFuture<Void> bump(KvKey key, String what) {
        RequestId id = engine.newRequestId();
        Commit commit = new Commit(id, List.of(), List.of(new Put(key, DROPPED, lifeOf(key))));
        end(key);
        return engine.send(
                        what,
                        engine.within(engine.requestTimeout().multipliedBy(2)),
                        () -> engine.backend().commit(commit))
                .handle((reply, failure) -> {
                    end(key);
                    if (failure != null) throw Waiting.rethrow(failure);
                    return null;
                });
    }

    void close() {
        hints.close();
        known.invalidateAll();
    }
}
