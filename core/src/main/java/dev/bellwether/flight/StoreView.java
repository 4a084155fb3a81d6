// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.engine.Engine;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.spi.Version;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Reads records, judges their age and epochs, and keeps what may be kept near. Runs no user code. */
final class StoreView<V> {
    private final Engine engine;
    private final Policy<?, ?> policy;
    private final int fingerprint;
    private final Epochs epochs;
    private final KvKey clear;
    private final NearCache<V> near;

    /** What a record may be used for. */
    enum Age {
        FRESH,
        /** Past its ttl, within stale-while-revalidate. */
        REVALIDATE,
        /** Only when the source fails. */
        ON_ERROR,
        /** Too old, of another shape, or dropped by its epoch. */
        USELESS
    }

    /** A record with its judgement; {@code mark} is null where no hint was armed, and then it must not be kept near. */
    @SuppressWarnings("ArrayRecordComponent") // neither compared nor handed out
    record Found(
            KvEntry.Present entry,
            @Nullable MemoRecord memo,
            Age age,
            long freshUntil,
            Epochs.Mark[] epochs,
            NearCache.@Nullable Mark mark) {}

    StoreView(Engine engine, Policy<?, ?> policy, int fingerprint, Epochs epochs, NearCache<V> near) {
        this.engine = engine;
        this.policy = policy;
        this.fingerprint = fingerprint;
        this.epochs = epochs;
        this.clear = epochs.clear(policy.name());
        this.near = near;
    }

    KvKey clear() {
        return clear;
    }

    /** Reads with a hint armed; null where nothing stands. */
    void look(KvKey key, BiConsumer<@Nullable Found, @Nullable Throwable> then) {
        Deadline deadline = engine.within(engine.requestTimeout());
        NearCache.Mark mark = near.mark(key);
        long sent = engine.timer().nanoTime();
        Query query = new Query.Keys(List.of(key), true);
        CompletableFuture<Reading> read = engine.sendOnce(
                "look at " + policy.name(), deadline, () -> engine.backend().read(query));
        if (epochs.known(clear) == null) { // asked for beside the read, not after it
            epochs.current(List.of(clear), deadline).exceptionally(failure -> List.of());
        }
        read.whenComplete((reading, failure) -> {
            if (failure != null) {
                then.accept(null, Failures.unwrap(failure));
            } else if (reading.entries().get(0) instanceof KvEntry.Present entry) {
                judge(entry, reading.now(), sent, mark, then);
            } else {
                then.accept(null, null);
            }
        });
    }

    /** Judges an entry that some reply brought. */
    void judge(
            KvEntry.Present entry,
            StoreTime now,
            long sentNanos,
            NearCache.@Nullable Mark mark,
            BiConsumer<@Nullable Found, @Nullable Throwable> then) {
        MemoRecord memo = MemoRecord.decode(entry.value()).orElse(null);
        if (memo == null || memo.fingerprint() != fingerprint) {
            then.accept(new Found(entry, null, Age.USELESS, 0, new Epochs.Mark[0], null), null);
            return;
        }
        List<KvKey> names = new ArrayList<>(memo.epochs().size());
        for (MemoRecord.Epoch epoch : memo.epochs()) {
            names.add(epoch.name().equals(clear.name()) ? clear : engine.key(epoch.name()));
        }
        // The store's time at the reply is not before the sending: ages are never taken as less than they are.
        long ageMicros = Math.max(0, now.micros() - entry.version().value());
        long freshUntil = sentNanos - nanos(ageMicros / 1_000 + 1) + nanos(memo.ttlMillis());
        epochs.current(names, engine.within(engine.requestTimeout())).whenComplete((marks, failure) -> {
            if (failure != null) {
                then.accept(null, Failures.unwrap(failure));
                return;
            }
            boolean holds = true;
            for (int i = 0; i < marks.size(); i++) {
                holds &= marks.get(i).is(memo.epochs().get(i).version());
            }
            Age age = holds ? age(freshUntil) : Age.USELESS;
            then.accept(new Found(entry, memo, age, freshUntil, marks.toArray(new Epochs.Mark[0]), mark), null);
        });
    }

    private Age age(long freshUntil) {
        long past = engine.timer().nanoTime() - freshUntil;
        if (past < 0) return Age.FRESH;
        if (past < Durations.nanos(policy.staleWhileRevalidate())) return Age.REVALIDATE;
        return past < Durations.nanos(policy.staleIfError()) ? Age.ON_ERROR : Age.USELESS;
    }

    /** Keeps the decoded value near, if a hint was armed for it. */
    void keep(Object nearKey, @Nullable V value, Found found) {
        NearCache.Mark mark = found.mark();
        MemoRecord memo = found.memo();
        if (mark == null || memo == null || found.age() == Age.USELESS) return;
        long keptUntil = found.freshUntil() + Durations.nanos(policy.staleWindow());
        long earlyFrom = found.freshUntil() - Early.window(memo.costMillis(), memo.ttlMillis());
        near.put(
                nearKey,
                new NearCache.Entry<>(
                        value,
                        entryVersion(found),
                        found.freshUntil(),
                        keptUntil,
                        earlyFrom,
                        memo.costMillis(),
                        found.epochs(),
                        mark));
    }

    private static Version entryVersion(Found found) {
        return found.entry().version();
    }

    /** What the record may be used for once it is not fresh any more. */
    Stale<V> stale(@Nullable V value, Found found) {
        return stale(value, found.freshUntil());
    }

    Stale<V> stale(@Nullable V value, long freshUntil) {
        return new Stale<>(
                value,
                freshUntil + Durations.nanos(policy.staleWhileRevalidate()),
                freshUntil + Durations.nanos(policy.staleIfError()));
    }

    private static long nanos(long millis) {
        return millis > Long.MAX_VALUE / 4 / 1_000_000 ? Long.MAX_VALUE / 4 : millis * 1_000_000;
    }
}
