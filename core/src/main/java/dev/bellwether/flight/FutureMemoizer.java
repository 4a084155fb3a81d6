// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.engine.Waiting;
import dev.bellwether.flight.BlockingMemoizer.Many;
import dev.bellwether.flight.Flight.FlightId;
import dev.bellwether.flight.Flight.Mode;
import dev.bellwether.memo.AsyncMemoizer;
import dev.bellwether.memo.Loader;
import dev.bellwether.memo.Memoizer;
import dev.bellwether.time.Deadline;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The face of a memoizer for those who do not wait. */
final class FutureMemoizer<K, V> implements AsyncMemoizer<K, V> {
    private final Memo<K, V> memo;
    private final Loading<K, V> loading;
    private final Loader.@Nullable Bulk<K, V> bulk;
    private final Memoizer<K, V> sync;

    FutureMemoizer(Memo<K, V> memo, Loading<K, V> loading, Loader.@Nullable Bulk<K, V> bulk, Memoizer<K, V> sync) {
        this.memo = memo;
        this.loading = loading;
        this.bulk = bulk;
        this.sync = sync;
    }

    static <K, V> Loading<K, V> loading(Loader.Async<? super K, V> loader) {
        return (key, context, done) -> {
            java.util.concurrent.CompletionStage<V> stage;
            try {
                stage = Objects.requireNonNull(
                        loader.load(key, context), "the loader returned null in place of a stage");
            } catch (Throwable failure) { // also errors: nobody may be left waiting
                done.accept(null, failure);
                return;
            }
            stage.whenComplete(
                    (value, failure) -> done.accept(value, failure == null ? null : Failures.unwrap(failure)));
        };
    }

    @Override
    public CompletableFuture<V> get(K key) {
        return get(key, Mode.GET, loading);
    }

    @Override
    public CompletableFuture<V> get(K key, Loader.Async<? super K, V> loader) {
        Objects.requireNonNull(loader, "the loader is null");
        return get(key, Mode.GET, loading(loader));
    }

    @Override
    public CompletableFuture<V> refresh(K key) {
        return get(key, Mode.REFRESH, loading);
    }

    @SuppressWarnings("NullAway") // null is a value where V admits it
    private CompletableFuture<V> get(K key, Mode mode, Loading<K, V> with) {
        Objects.requireNonNull(key, "the key is null; a key names something");
        if (mode == Mode.GET) {
            NearCache.Entry<V> entry = memo.near.fresh(memo.nearKey(key));
            if (entry != null) {
                if (memo.engine.isListening()) memo.toldNear();
                return CompletableFuture.completedFuture(entry.value());
            }
        }
        long start = memo.engine.timer().nanoTime();
        Caller<V> caller = Caller.async(deadline(), memo.engine.executor());
        FlightId id = new FlightId(memo.name(key), mode);
        for (Leading<?, ?> each = Leading.current(); each != null; each = each.outer()) {
            if (each.flight.memo == memo && each.flight.id.name().equals(id.name())) {
                return CompletableFuture.failedFuture(
                        new IllegalStateException("the loader of " + memo.describe(key) + " asks for its own key"));
            }
        }
        memo.enter(caller, key, id, with, null);
        if (memo.engine.isListening()) caller.result.whenComplete((value, failure) -> memo.told(caller, start));
        return caller.result;
    }

    private Deadline deadline() {
        return memo.engine.within(memo.policy.maxWait());
    }

    @Override
    public CompletableFuture<Map<K, V>> getAll(Collection<? extends K> keys) {
        LinkedHashSet<K> distinct = new LinkedHashSet<>();
        for (K key : keys) distinct.add(Objects.requireNonNull(key, "one of the keys is null"));
        Many<K, V> many = new Many<>(memo, loading, bulk, distinct);
        many.enter(() -> Caller.async(deadline(), memo.engine.executor()), memo.engine.executor()::execute);
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (Caller<V> caller : many.callers()) all.add(caller.result);
        return CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]))
                .handle((done, failure) -> many.result());
    }

    @Override
    public CompletableFuture<Optional<V>> getIfPresent(K key) {
        return open(() -> memo.present(Objects.requireNonNull(key, "the key is null; a key names something")));
    }

    @Override
    public CompletableFuture<Void> put(K key, V value) {
        return open(() -> memo.put(key, value));
    }

    @Override
    public CompletableFuture<Void> invalidate(K key) {
        return open(() -> memo.invalidate(key));
    }

    @Override
    public CompletableFuture<Void> invalidateAll(Collection<? extends K> keys) {
        return open(() -> {
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (K key : keys) all.add(memo.invalidate(key));
            return CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]));
        });
    }

    @Override
    public CompletableFuture<Void> clear() {
        return open(memo::clear);
    }

    private <T> CompletableFuture<T> open(Supplier<CompletableFuture<T>> act) {
        if (memo.engine.isClosed()) return CompletableFuture.failedFuture(memo.engine.closed());
        return act.get().handle((value, failure) -> {
            if (failure != null) throw Waiting.rethrow(failure);
            return value;
        });
    }

    @Override
    public Memoizer<K, V> sync() {
        return sync;
    }
}
