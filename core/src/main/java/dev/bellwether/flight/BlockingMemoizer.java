// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.engine.Waiting;
import dev.bellwether.error.LoadFailedException;
import dev.bellwether.flight.Flight.FlightId;
import dev.bellwether.flight.Flight.Mode;
import dev.bellwether.memo.AsyncMemoizer;
import dev.bellwether.memo.Loader;
import dev.bellwether.memo.Memoizer;
import dev.bellwether.spi.Bytes;
import dev.bellwether.time.Deadline;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** The face of a memoizer for threads that wait. */
final class BlockingMemoizer<K, V> implements Memoizer<K, V> {
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
        Objects.requireNonNull(key, "the key is null; a key names something");
        NearCache.Entry<V> entry = memo.near.fresh(memo.nearKey(key));
        if (entry != null) {
            if (memo.engine.isListening()) memo.toldNear();
            return entry.value();
        }
        return wait(key, Mode.GET, loading);
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    public V get(K key, Loader<? super K, ? extends V> loader) {
        Objects.requireNonNull(loader, "the loader is null");
        NearCache.Entry<V> entry = memo.near.fresh(memo.nearKey(key));
        return entry != null ? entry.value() : wait(key, Mode.GET, Loading.blocking((k, context) -> loader.load(k)));
    }

    @Override
    public V refresh(K key) {
        return wait(key, Mode.REFRESH, loading);
    }

    private V wait(K key, Mode mode, Loading<K, V> with) {
        memo.engine.ensureOpen();
        long start = memo.engine.timer().nanoTime();
        Bytes name = memo.name(key);
        Leading<?, ?> within = Leading.current();
        refuseRecursion(within, key, name);
        Mailbox mailbox = new Mailbox();
        Caller<V> caller = Caller.blocked(memo.engine.within(memo.policy.maxWait()), mailbox);
        Flight<K, V> flight = memo.enter(caller, key, new FlightId(name, mode), with, null);
        if (within != null && flight != null) refuseCircle(within, flight, caller);
        try {
            memo.work(mailbox, List.of(caller), memo.blockedAtMost());
        } finally {
            if (within != null) within.flight.waitsFor = null;
        }
        if (memo.engine.isListening()) memo.told(caller, start);
        return answer(key, caller);
    }

    private V answer(K key, Caller<V> caller) {
        try {
            return caller.result.get();
        } catch (CancellationException cancelled) {
            throw Waiting.cancelled("interrupted while waiting for " + memo.describe(key));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw Waiting.cancelled("interrupted while waiting for " + memo.describe(key));
        } catch (ExecutionException failed) {
            throw Waiting.rethrow(failed.getCause());
        }
    }

    private void refuseRecursion(@Nullable Leading<?, ?> within, K key, Bytes name) {
        for (Leading<?, ?> each = within; each != null; each = each.outer()) {
            if (each.flight.memo == memo && each.flight.id.name().equals(name)) {
                throw new IllegalStateException(
                        "the loader of " + memo.describe(key) + " asks for its own key; it would wait for itself");
            }
        }
    }

    /** Each computation names what it waits for before it looks along the chain, so of two that close it one sees it. */
    private void refuseCircle(Leading<?, ?> within, Flight<K, V> joined, Caller<V> caller) {
        within.flight.waitsFor = joined;
        int length = 0;
        for (Flight<?, ?> each = joined; each != null && length < 1_000; each = each.waitsFor, length++) {
            if (each == within.flight) {
                joined.leave(caller);
                within.flight.waitsFor = null;
                throw new IllegalStateException("loaders wait for each other in a circle: " + within.flight
                        + " waits for " + joined + ", which waits for it");
            }
        }
    }

    @Override
    public Map<K, V> getAll(Collection<? extends K> keys) {
        memo.engine.ensureOpen();
        Mailbox mailbox = new Mailbox();
        Deadline deadline = memo.engine.within(memo.policy.maxWait());
        Many<K, V> many = new Many<>(memo, loading, bulk, distinct(keys));
        many.enter(() -> Caller.blocked(deadline, mailbox), task -> {
            if (!mailbox.offer(task)) memo.engine.executor().execute(task);
        });
        memo.work(mailbox, many.callers(), memo.blockedAtMost());
        if (Thread.currentThread().isInterrupted()) {
            throw Waiting.cancelled(
                    "interrupted while waiting for " + keys.size() + " keys of memoizer " + memo.policy.name());
        }
        return many.result();
    }

    private static <K> Set<K> distinct(Collection<? extends K> keys) {
        Set<K> distinct = new LinkedHashSet<>();
        for (K key : keys) distinct.add(Objects.requireNonNull(key, "one of the keys is null"));
        return distinct;
    }

    /** The keys of one {@code getAll}, each in its flight. */
    static final class Many<K, V> {
        private final Memo<K, V> memo;
        private final Loading<K, V> loading;
        private final Loader.@Nullable Bulk<K, V> bulk;
        private final Set<K> keys;
        private final Map<K, NearCache.Entry<V>> near = new LinkedHashMap<>();
        private final Map<K, Caller<V>> callers = new LinkedHashMap<>();

        Many(Memo<K, V> memo, Loading<K, V> loading, Loader.@Nullable Bulk<K, V> bulk, Set<K> keys) {
            this.memo = memo;
            this.loading = loading;
            this.bulk = bulk;
            this.keys = keys;
        }

        void enter(java.util.function.Supplier<Caller<V>> caller, java.util.function.Consumer<Runnable> userThread) {
            for (K key : keys) {
                NearCache.Entry<V> entry = memo.near.fresh(memo.nearKey(key));
                if (entry != null) near.put(key, entry);
                else callers.put(key, caller.get());
            }
            BulkBatch<K, V> batch = bulk == null ? null : new BulkBatch<>(bulk, callers.keySet(), userThread);
            Leading<?, ?> within = Leading.current();
            callers.forEach((key, each) -> {
                Bytes name = memo.name(key);
                FlightId id = new FlightId(name, Mode.GET);
                if (within != null
                        && within.flight.memo == memo
                        && within.flight.id.name().equals(name)) {
                    each.fail(
                            new IllegalStateException("the loader of " + memo.describe(key) + " asks for its own key"));
                    if (batch != null) batch.decided(key);
                } else if (batch == null) {
                    memo.enter(each, key, id, loading, null);
                } else {
                    memo.enter(each, key, id, batch, () -> batch.decided(key));
                }
            });
        }

        Collection<Caller<V>> callers() {
            return callers.values();
        }

        /** The values in the keys' order, once all callers are answered. */
        Map<K, V> result() {
            Map<K, V> values = new LinkedHashMap<>();
            Map<K, Throwable> failures = new LinkedHashMap<>();
            for (K key : keys) {
                NearCache.Entry<V> entry = near.get(key);
                if (entry != null) {
                    put(values, key, entry.value());
                } else {
                    Objects.requireNonNull(callers.get(key)).result.whenComplete((value, failure) -> {
                        if (failure != null) failures.put(key, Failures.unwrap(failure));
                        else put(values, key, value);
                    });
                }
            }
            if (!failures.isEmpty()) throw failure(failures);
            return java.util.Collections.unmodifiableMap(values);
        }

        @SuppressWarnings("NullAway") // null is a value where V admits it
        private void put(Map<K, V> values, K key, @Nullable V value) {
            values.put(key, value);
        }

        private RuntimeException failure(Map<K, Throwable> failures) {
            Throwable first = failures.values().iterator().next();
            for (Throwable failure : failures.values()) {
                if (!(failure instanceof LoadFailedException)) return Waiting.rethrow(failure);
            }
            List<K> named = failures.keySet().stream().limit(20).toList();
            return new LoadFailedException(
                    failures.size() + " of " + keys.size() + " keys of memoizer " + memo.policy.name()
                            + " could not be computed: " + named + (failures.size() > 20 ? " and more" : "")
                            + "; first: "
                            + first.getMessage(),
                    first,
                    ((LoadFailedException) first).causeTypes());
        }
    }

    @Override
    public Optional<V> getIfPresent(K key) {
        Objects.requireNonNull(key, "the key is null; a key names something");
        NearCache.Entry<V> entry = memo.near.fresh(memo.nearKey(key));
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
