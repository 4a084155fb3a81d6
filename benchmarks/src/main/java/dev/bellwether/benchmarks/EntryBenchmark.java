// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.benchmarks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.bellwether.memory.MemoryBackend;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Version;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Reads and conditional writes of 10,000 entries, beside a plain map and a cache. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Benchmark)
public class EntryBenchmark {
    private static final int KEYS = 10_000;

    private final MemoryBackend backend = MemoryBackend.create();
    private final ConcurrentHashMap<KvKey, Bytes> map = new ConcurrentHashMap<>();
    private final Cache<KvKey, Bytes> cache =
            Caffeine.newBuilder().maximumSize(2 * KEYS).build();
    private final Bytes value = Bytes.wrap(new byte[100]);
    private final KvKey[] keys = new KvKey[KEYS];
    private final Version[] versions = new Version[KEYS];
    private int turn;

    @Setup
    public void fill() {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = KvKey.of(Bytes.utf8("entry:" + i));
            map.put(keys[i], value);
            cache.put(keys[i], value);
            versions[i] = committed(Commit.of(put(i, Expiry.NEVER)));
        }
    }

    @TearDown
    public void close() {
        backend.close();
    }

    @Benchmark
    public Reading get() {
        return backend.read(new Query.Keys(List.of(keys[next()]), false))
                .toCompletableFuture()
                .join();
    }

    @Benchmark
    public Reading armedGet() {
        return backend.read(new Query.Keys(List.of(keys[next()]), true))
                .toCompletableFuture()
                .join();
    }

    @Benchmark
    public Version conditionalPut() {
        return conditionalPut(Expiry.NEVER);
    }

    @Benchmark
    public Version conditionalPutWithTtl() {
        return conditionalPut(Expiry.after(Duration.ofMinutes(1)));
    }

    @Benchmark
    public @Nullable Object mapGet() {
        return map.get(keys[next()]);
    }

    @Benchmark
    public Object mapCompute() {
        return map.compute(keys[next()], (key, old) -> value);
    }

    @Benchmark
    public @Nullable Object caffeineGet() {
        return cache.getIfPresent(keys[next()]);
    }

    @Benchmark
    public void caffeinePut() {
        cache.put(keys[next()], value);
    }

    private Version conditionalPut(Expiry expiry) {
        int i = next();
        Check check = new Check.Is(keys[i], versions[i], false);
        versions[i] = committed(new Commit(null, List.of(check), List.of(put(i, expiry))));
        return versions[i];
    }

    private EntryMutation.Put put(int i, Expiry expiry) {
        return new EntryMutation.Put(keys[i], value, expiry);
    }

    private Version committed(Commit commit) {
        CommitReply reply = backend.commit(commit).toCompletableFuture().join();
        return ((CommitReply.Committed) reply).version();
    }

    /** All keys in an order that is no order in memory: the step and the number of keys share no factor. */
    private int next() {
        turn = (turn + 7_919) % KEYS;
        return turn;
    }
}
