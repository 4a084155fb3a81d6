// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.error.BellwetherException;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.spi.Version;
import dev.bellwether.time.Durations;
import io.lettuce.core.protocol.CommandType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reads entries, and knows their record. */
final class Entries {
    private static final int FORMAT = 1;
    private static final int TOMBSTONE = 1;
    private static final int HEADER = 18;

    private final Runner runner;
    private final StoreClock clock;

    Entries(Runner runner, StoreClock clock) {
        this.runner = runner;
        this.clock = clock;
    }

    CompletionStage<Reading> read(Query.Keys query) {
        if (query.keys().size() == 1) return readOne(query.keys().get(0), query.arm());
        return readMany(query);
    }

    private CompletionStage<Reading> readOne(KvKey key, boolean arm) {
        Call get = Call.withKeys(CommandType.GET, List.of(Keys.of(Keys.ENTRY, key)));
        return runner.ask(get, arm, "a read of " + key.name(), reply -> {
            StoreTime now = clock.now();
            return new Reading(List.of(decode(key, (byte[]) reply, now)), false, now);
        });
    }

    private CompletionStage<Reading> readMany(Query.Keys query) {
        Map<Partition, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < query.keys().size(); i++) {
            places.computeIfAbsent(query.keys().get(i).partition(), partition -> new ArrayList<>())
                    .add(i);
        }
        @Nullable KvEntry[] found = new KvEntry[query.keys().size()];
        List<CompletionStage<?>> parts = new ArrayList<>(places.size());
        for (List<Integer> positions : places.values()) parts.add(readPartition(query, positions, found));
        return CompletableFuture.allOf(
                        parts.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new))
                .handle(Runner.mapped("a read"))
                .thenApply(done -> new Reading(Arrays.asList(found), false, clock.now()));
    }

    private CompletionStage<?> readPartition(Query.Keys query, List<Integer> positions, @Nullable KvEntry[] found) {
        List<byte[]> keys = new ArrayList<>(positions.size());
        for (int at : positions) keys.add(Keys.of(Keys.ENTRY, query.keys().get(at)));
        return runner.ask(Call.withKeys(CommandType.MGET, keys), query.arm(), "a read", reply -> {
            Runner.Row row = Runner.Row.of(reply);
            StoreTime now = clock.now();
            for (int i = 0; i < positions.size(); i++) {
                int at = positions.get(i);
                found[at] = decode(query.keys().get(at), (byte[]) row.items().get(i), now);
            }
            return row.size();
        });
    }

    /** An entry whose time has surely passed is absent, though the server may not have swept it yet. */
    static KvEntry decode(KvKey key, byte @Nullable [] raw, StoreTime now) {
        if (raw == null) return new KvEntry.Absent(key, Version.NONE);
        ByteBuffer record = ByteBuffer.wrap(raw);
        if (raw.length < HEADER || record.get() != FORMAT) {
            throw new BellwetherException(
                    "what stands under " + key.name() + " is no entry of a format known here", null);
        }
        boolean tombstone = record.get() == TOMBSTONE;
        Version version = new Version(record.getLong());
        long expires = record.getLong();
        long surelyMillis = Math.floorDiv(now.micros() - now.error(), 1_000);
        if (expires > 0 && surelyMillis >= expires) return new KvEntry.Absent(key, Version.NONE);
        if (tombstone) return new KvEntry.Absent(key, version);
        return new KvEntry.Present(
                key, version, Bytes.wrap(Arrays.copyOfRange(raw, HEADER, raw.length)), expiry(expires));
    }

    static OptionalLong expiry(long millis) {
        return millis == 0 ? OptionalLong.empty() : OptionalLong.of(millis);
    }

    /** Two arguments: a letter and a number. */
    static void addExpiry(Request request, Expiry expiry) {
        if (expiry instanceof Expiry.Never) {
            request.arg("n").arg("");
        } else if (expiry instanceof Expiry.Keep) {
            request.arg("k").arg("");
        } else if (expiry instanceof Expiry.After after) {
            long millis = Durations.millis(after.length());
            if (millis == Durations.MAX_MILLIS) request.arg("n").arg("");
            else request.arg("a").arg(millis);
        } else if (expiry instanceof Expiry.At at) {
            long millis = epochMillis(at);
            if (millis == Durations.MAX_MILLIS) request.arg("n").arg("");
            else request.arg("t").arg(millis);
        } else {
            throw new IllegalArgumentException("an expiry that this backend does not know: " + expiry);
        }
    }

    private static long epochMillis(Expiry.At at) {
        Duration since = Duration.between(Instant.EPOCH, at.moment());
        return Durations.millis(since);
    }
}
