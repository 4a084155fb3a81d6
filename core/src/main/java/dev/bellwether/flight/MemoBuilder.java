// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.codec.Codec;
import dev.bellwether.memo.AsyncMemoizer;
import dev.bellwether.memo.Loader;
import dev.bellwether.memo.Memoizer;
import dev.bellwether.memo.Memoizer.Fallback;
import dev.bellwether.time.Backoff;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Collects a {@link Policy}. */
final class MemoBuilder<K, V> implements Memoizer.Builder<K, V> {
    /** Shorter leases would be lost to a hiccup of the network or the garbage collector. */
    private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    private static final Duration LONGEST_LEASE = Duration.ofHours(1);
    private static final Duration FOR_EVER = Duration.ofMillis(Durations.MAX_MILLIS);

    private final MemoService service;
    private final String name;
    private final Class<K> keys;
    private final Codec<V> codec;
    private @Nullable BiFunction<? super K, ? super V, Duration> ttl;
    private @Nullable Duration negativeTtl;
    private Duration failureTtl = Duration.ZERO;
    private Duration staleWhileRevalidate = Duration.ZERO;
    private Duration staleIfError = Duration.ZERO;
    private @Nullable BiFunction<? super K, ? super V, ? extends Collection<String>> tags;
    private Duration maxWait = Duration.ofSeconds(30);
    private Fallback whenExhausted = Fallback.STALE;
    private Fallback whenUnavailable = Fallback.COMPUTE;
    private Duration lease = Duration.ofSeconds(5);
    private Duration atMost = Duration.ofSeconds(60);
    private int nearCache = 10_000;
    private @Nullable Backoff polling;
    private int version;

    MemoBuilder(MemoService service, String name, Class<K> keys, Codec<V> codec) {
        this.service = service;
        this.name = name;
        this.keys = keys;
        this.codec = codec;
    }

    @Override
    public MemoBuilder<K, V> ttl(Duration ttl) {
        Duration length = Durations.min(Durations.notNegative("the ttl", ttl), FOR_EVER);
        this.ttl = (key, value) -> length;
        return this;
    }

    @Override
    public MemoBuilder<K, V> ttl(BiFunction<? super K, ? super V, Duration> ttl) {
        Objects.requireNonNull(ttl, "the ttl function is null");
        this.ttl = (key, value) -> Durations.min(
                Objects.requireNonNull(ttl.apply(key, value), "the ttl function returned null"), FOR_EVER);
        return this;
    }

    @Override
    public MemoBuilder<K, V> negativeTtl(Duration ttl) {
        negativeTtl = Durations.min(Durations.notNegative("the negative ttl", ttl), FOR_EVER);
        return this;
    }

    @Override
    public MemoBuilder<K, V> failureTtl(Duration ttl) {
        failureTtl = Durations.min(Durations.notNegative("the failure ttl", ttl), Duration.ofDays(1));
        return this;
    }

    @Override
    public MemoBuilder<K, V> staleWhileRevalidate(Duration window) {
        staleWhileRevalidate = Durations.min(Durations.notNegative("stale-while-revalidate", window), FOR_EVER);
        return this;
    }

    @Override
    public MemoBuilder<K, V> staleIfError(Duration window) {
        staleIfError = Durations.min(Durations.notNegative("stale-if-error", window), FOR_EVER);
        return this;
    }

    @Override
    public MemoBuilder<K, V> tags(BiFunction<? super K, ? super V, ? extends Collection<String>> tags) {
        this.tags = Objects.requireNonNull(tags, "the tags function is null");
        return this;
    }

    @Override
    public MemoBuilder<K, V> maxWait(Duration limit) {
        maxWait = Durations.notNegative("maxWait", limit);
        return this;
    }

    @Override
    public MemoBuilder<K, V> whenExhausted(Fallback fallback) {
        whenExhausted = Objects.requireNonNull(fallback);
        return this;
    }

    @Override
    public MemoBuilder<K, V> whenUnavailable(Fallback fallback) {
        whenUnavailable = Objects.requireNonNull(fallback);
        return this;
    }

    @Override
    public MemoBuilder<K, V> lease(Duration lease) {
        this.lease = Durations.between("the lease of a leader", lease, SHORTEST_LEASE, LONGEST_LEASE);
        return this;
    }

    @Override
    public MemoBuilder<K, V> atMost(Duration limit) {
        atMost = Durations.positive("atMost", limit);
        return this;
    }

    @Override
    public MemoBuilder<K, V> nearCache(int maxEntries) {
        if (maxEntries < 0) {
            throw new IllegalArgumentException("the near cache cannot hold " + maxEntries + " entries; 0 turns it off");
        }
        nearCache = maxEntries;
        return this;
    }

    @Override
    public MemoBuilder<K, V> polling(Backoff backoff) {
        polling = Objects.requireNonNull(backoff, "the backoff is null");
        return this;
    }

    @Override
    public MemoBuilder<K, V> version(int version) {
        this.version = version;
        return this;
    }

    @Override
    public Memoizer<K, V> build(Loader<? super K, ? extends V> loader) {
        Objects.requireNonNull(loader, "the loader is null");
        return build(Loading.blocking((key, context) -> loader.load(key)), null);
    }

    @Override
    public Memoizer<K, V> buildWithContext(Loader.WithContext<? super K, V> loader) {
        Objects.requireNonNull(loader, "the loader is null");
        return build(Loading.blocking(loader::load), null);
    }

    @Override
    public Memoizer<K, V> buildBulk(Loader.Bulk<K, V> loader) {
        Objects.requireNonNull(loader, "the loader is null");
        return build(BulkBatch.single(loader), loader);
    }

    @Override
    public AsyncMemoizer<K, V> buildAsync(Loader.Async<? super K, V> loader) {
        Objects.requireNonNull(loader, "the loader is null");
        return build(FutureMemoizer.loading(loader, service.executor()), null).async();
    }

    private Memoizer<K, V> build(Loading<K, V> loading, Loader.@Nullable Bulk<K, V> bulk) {
        return new BlockingMemoizer<>(service.register(policy(), keys, codec), loading, bulk);
    }

    private Policy<K, V> policy() {
        if (ttl == null) {
            throw new IllegalStateException(
                    "memoizer " + name + " has no ttl; say how long a value is fresh with ttl(...)");
        }
        return new Policy<>(
                name,
                version,
                ttl,
                negativeTtl,
                failureTtl,
                staleWhileRevalidate,
                staleIfError,
                tags,
                maxWait,
                whenExhausted,
                whenUnavailable,
                lease,
                atMost,
                nearCache,
                polling);
    }
}
