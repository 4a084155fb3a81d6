// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.bellwether.engine.Engine;
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
import dev.bellwether.time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
     * any time later ends the mark, and with it every near entry that rests on it.
     */
    private static final Duration KEPT = Duration.ofDays(30);
    private static final int MOST_KNOWN = 100_000;

    /** What stands in an epoch that somebody dropped, and in one that was only made. */
    private static final Bytes DROPPED = Bytes.of((byte) 1);

    private static final Bytes MADE = Bytes.of((byte) 0);

    private final Engine engine;
    private final Cache<KvKey, Mark> known = Caffeine.newBuilder()
            .maximumSize(MOST_KNOWN)
            .executor(Runnable::run)
            .build();
    private final dev.bellwether.spi.Subscription hints;

    /** One epoch as this process knows it. */
    static final class Mark {
        final Bytes name;
        private volatile long version;
        private volatile boolean dropped;
        private volatile boolean ended;

        private Mark(Bytes name) {
            this.name = name;
        }

        /** Whether the epoch is still the one that this mark names. */
        boolean holds() {
            return !ended && version != 0;
        }

        long version() {
            return version;
        }

        /** Whether a value computed from data of that moment of the store is dropped, or may be. */
        boolean dropsWhatWasReadAt(long storeMicros) {
            return version == 0 || (dropped && version > storeMicros);
        }

        private void is(long version, Bytes value) {
            this.dropped = value.equals(DROPPED);
            this.version = version;
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
            known.asMap().keySet().forEach(this::end);
        }
    }

    private void end(KvKey key) {
        Mark mark = known.asMap().remove(key);
        if (mark != null) mark.ended = true;
    }

    KvKey tag(String tag) {
        return engine.key(engine.prefix("tag", tag));
    }

    KvKey clear(String memoizer) {
        return engine.key(engine.prefix("clear", memoizer));
    }

    /** The mark of an epoch if this process knows it, else null. */
    @Nullable
    Mark known(KvKey key) {
        Mark mark = known.getIfPresent(key);
        return mark != null && mark.holds() ? mark : null;
    }

    /** The present epochs, in the keys' order; made where they are absent. */
    CompletableFuture<List<Mark>> current(List<KvKey> keys, Deadline deadline) {
        Map<KvKey, Mark> placed = new LinkedHashMap<>();
        for (KvKey key : keys) {
            if (known(key) == null) placed.put(key, new Mark(key.name()));
        }
        CompletableFuture<Void> read =
                placed.isEmpty() ? CompletableFuture.completedFuture(null) : read(placed, deadline);
        return read.thenApply(done -> {
            List<Mark> marks = new ArrayList<>(keys.size());
            for (KvKey key : keys) {
                Mark fresh = placed.get(key);
                Mark mark = fresh != null ? fresh : known(key);
                if (mark == null) { // ended while the others were read: as good as changed
                    mark = new Mark(key.name());
                    mark.ended = true;
                }
                marks.add(mark);
            }
            return marks;
        });
    }

    private CompletableFuture<Void> read(Map<KvKey, Mark> placed, Deadline deadline) {
        placed.forEach(known::put);
        Query query = new Query.Keys(List.copyOf(placed.keySet()), true);
        return engine.send("read of epochs", deadline, () -> engine.backend().read(query))
                .thenCompose(reading -> {
                    List<CompletableFuture<?>> made = new ArrayList<>();
                    for (KvEntry entry : reading.entries()) {
                        Mark mark = placed.get(entry.key());
                        if (mark == null) continue;
                        if (entry instanceof KvEntry.Present present) {
                            mark.is(present.version().value(), present.value());
                        } else {
                            made.add(make(entry.key(), mark, deadline));
                        }
                    }
                    return CompletableFuture.allOf(made.toArray(new CompletableFuture<?>[0]));
                });
    }

    /** Its own write consumes the armed hint, so the epoch is read once more; until then it counts as unknown. */
    private CompletableFuture<?> make(KvKey key, Mark mark, Deadline deadline) {
        RequestId id = engine.newRequestId();
        Commit commit =
                new Commit(id, List.of(new Check.Vacant(key, true)), List.of(new Put(key, MADE, Expiry.after(KEPT))));
        return engine.send(
                        "making of an epoch", deadline, () -> engine.backend().commit(commit))
                .thenAccept(reply -> {
                    if (reply instanceof CommitReply.Committed committed) {
                        mark.is(committed.version().value(), MADE);
                    } else if (reply instanceof CommitReply.Conflict conflict
                            && conflict.obstacles().get(0) instanceof Obstacle.EntryDiffers differs) {
                        mark.is(differs.version().value(), differs.value().orElse(DROPPED));
                    }
                    mark.ended = true;
                    known.asMap().remove(key, mark);
                });
    }

    /** Drops everything that carries the epoch: one step. */
    CompletableFuture<Void> bump(KvKey key, String what) {
        RequestId id = engine.newRequestId();
        Commit commit = new Commit(id, List.of(), List.of(new Put(key, DROPPED, Expiry.after(KEPT))));
        end(key);
        return engine.send(
                        what,
                        engine.within(engine.requestTimeout().multipliedBy(2)),
                        () -> engine.backend().commit(commit))
                .thenAccept(reply -> end(key));
    }

    void close() {
        hints.close();
        known.invalidateAll();
    }
}
