// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.engine.Waiting;
import dev.bellwether.flight.Flight.FlightId;
import dev.bellwether.flight.Flight.Mode;
import dev.bellwether.memo.AsyncMemoizer;
import dev.bellwether.memo.Loader;
import dev.bellwether.memo.Memoizer;
import dev.bellwether.spi.Bytes;
import dev.bellwether.time.Deadline;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** The face of a memoizer for threads that wait. */
final class BlockingMemoizer<K, V> implements Memoizer<K, V> {
    private static final String NO_KEY = "the key is null; a key names something";

    private final Memo<K, V> memo;
    private final Loading<K, V> loading;
    private final Loader.@Nullable Bulk<K, V> bulk;
    private final AsyncMemoizer<K, V> async;

    BlockingMemoizer(Memo<K, V> memo, Loading<K, V> loading, Loader.@Nullable Bulk<K, V> bulk) {
        this.memo = memo;
        this.loading = loading;
        this.bulk = bulk;
        this.async = new FutureMemoizer<>(memo, loading, bulk, this);
    }

    @Override
    @SuppressWarnings("NullAway") // null is a value where V admits it
    public V get(K key) {
        Objects.requireNonNull(key, NO_KEY);
        NearCache.Entry<V> entry = memo.hit(key, loading);
        return entry != null ? entry.value() : wait(key, Mode.GET, loading);
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    public V get(K key, Loader<? super K, ? extends V> loader) {
        Objects.requireNonNull(key, NO_KEY);
        Objects.requireNonNull(loader, "the loader is null");
        Loading<K, V> once = Loading.blocking((k, context) -> loader.load(k));
        NearCache.Entry<V> entry = memo.hit(key, once);
        return entry != null ? entry.value() : wait(key, Mode.GET, once);
    }

    @Override
    public V refresh(K key) {
        return wait(Objects.requireNonNull(key, NO_KEY), Mode.REFRESH, loading);
    }

    private V wait(K key, Mode mode, Loading<K, V> with) {
        memo.engine.ensureOpen();
        long start = memo.engine.timer().nanoTime();
        Bytes name = memo.name(key);
        Circles.refuseRecursion(memo, key, name);
        Mailbox mailbox = new Mailbox();
        Caller<V> caller = Caller.blocked(memo.engine.within(memo.policy.maxWait()), mailbox);
        Flight<K, V> flight = memo.enter(caller, key, new FlightId(name, mode), with, null);
        Circles.Wait noted = Circles.waiting(flight == null ? List.of() : List.of(flight), List.of(caller));
        try {
            memo.work(mailbox, List.of(caller), memo.blockedAtMost());
        } finally {
            noted.end();
        }
        if (memo.engine.isListening()) memo.told(caller, start);
        return answer(key, caller);
    }

    private V answer(K key, Caller<V> caller) {
        try {
            return caller.result.get();
        } catch (CancellationException cancelled) {
            if (cancelled.getMessage() != null) throw cancelled;
            throw Waiting.cancelled("interrupted while waiting for " + memo.describe(key));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw Waiting.cancelled("interrupted while waiting for " + memo.describe(key));
        } catch (ExecutionException failed) {
            throw Waiting.rethrow(failed.getCause());
        }
    }

    @Override
    public Map<K, V> getAll(Collection<? extends K> keys) {
        memo.engine.ensureOpen();
        Mailbox mailbox = new Mailbox();
        Deadline deadline = memo.engine.within(memo.policy.maxWait());
        Many<K, V> many = new Many<>(memo, loading, bulk, Many.distinct(keys));
        many.enter(() -> Caller.blocked(deadline, mailbox), task -> memo.onThreadOf(mailbox, task));
        Circles.Wait noted = Circles.waiting(many.flights(), many.callers());
        try {
            memo.work(mailbox, many.callers(), memo.blockedAtMost());
        } finally {
            noted.end();
        }
        if (many.wasCancelled()) {
            throw Waiting.cancelled(
                    "interrupted while waiting for " + keys.size() + " keys of memoizer " + memo.policy.name());
        }
        return many.result();
    }

    @Override
    public Optional<V> getIfPresent(K key) {
        Objects.requireNonNull(key, NO_KEY);
        NearCache.Entry<V> entry = memo.hit(key, loading);
        return entry != null ? Optional.ofNullable(entry.value()) : join(async.getIfPresent(key));
    }

    @Override
    public void put(K key, V value) {
        join(async.put(key, value));
    }

    @Override
    public void invalidate(K key) {
        join(async.invalidate(key));
    }

    @Override
    public void invalidateAll(Collection<? extends K> keys) {
        join(async.invalidateAll(keys));
    }

    @Override
    public void clear() {
        join(async.clear());
    }

    private <T> T join(CompletableFuture<T> future) {
        return Waiting.join(
                future, memo.engine.within(memo.engine.requestTimeout().multipliedBy(6)));
    }

    @Override
    public AsyncMemoizer<K, V> async() {
        return async;
    }

    @Override
    public String toString() {
        return memo.toString();
    }
}
