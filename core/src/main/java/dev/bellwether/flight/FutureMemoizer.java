// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.engine.Waiting;
import dev.bellwether.flight.Flight.FlightId;
import dev.bellwether.flight.Flight.Mode;
import dev.bellwether.memo.AsyncMemoizer;
import dev.bellwether.memo.Loader;
import dev.bellwether.memo.Memoizer;
import dev.bellwether.time.Deadline;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
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

    /** What comes of the stage goes on on the executor: whoever completes it, such as a driver, must not run our work. */
    static <K, V> Loading<K, V> loading(Loader.Async<? super K, V> loader, Executor executor) {
        return (key, context, done) -> {
            CompletionStage<V> stage;
            try {
                stage = Objects.requireNonNull(
                        loader.load(key, context), "the loader returned null in place of a stage");
            } catch (Throwable failure) { // also errors: nobody may be left waiting
                done.accept(null, failure);
                return;
            }
            AtomicBoolean returned = new AtomicBoolean();
            stage.whenComplete((value, failure) -> {
                Runnable goOn = () -> done.accept(value, failure == null ? null : Failures.unwrap(failure));
                if (!returned.get()) {
                    goOn.run(); // it was complete already: this is the thread of the loader
                    return;
                }
                try {
                    executor.execute(goOn);
                } catch (RejectedExecutionException full) {
                    goOn.run();
                }
            });
            returned.set(true);
        };
    }

    @Override
    public CompletableFuture<V> get(K key) {
        return get(key, Mode.GET, loading);
    }

    @Override
    public CompletableFuture<V> get(K key, Loader.Async<? super K, V> loader) {
        Objects.requireNonNull(loader, "the loader is null");
        return get(key, Mode.GET, loading(loader, memo.engine.executor()));
    }

    @Override
    public CompletableFuture<V> refresh(K key) {
        return get(key, Mode.REFRESH, loading);
    }

    private CompletableFuture<V> get(K key, Mode mode, Loading<K, V> with) {
        Objects.requireNonNull(key, "the key is null; a key names something");
        if (mode == Mode.GET) {
            NearCache.Entry<V> entry = memo.hit(key, with);
            if (entry != null) return completed(entry);
        }
        long start = memo.engine.timer().nanoTime();
        Caller<V> caller = Caller.async(deadline(), memo.engine.executor());
        try {
            FlightId id = new FlightId(memo.name(key), mode);
            Circles.refuseRecursion(memo, key, id.name());
            memo.enter(caller, key, id, with, null);
        } catch (IllegalArgumentException | IllegalStateException refused) {
            caller.fail(refused);
        }
        if (memo.engine.isListening()) caller.result.whenComplete((value, failure) -> memo.told(caller, start));
        return caller.result;
    }

    @SuppressWarnings("NullAway") // null is a value where V admits it
    private CompletableFuture<V> completed(NearCache.Entry<V> entry) {
        return CompletableFuture.completedFuture(entry.value());
    }

    private Deadline deadline() {
        return memo.engine.within(memo.policy.maxWait());
    }

    @Override
    public CompletableFuture<Map<K, V>> getAll(Collection<? extends K> keys) {
        Many<K, V> many = new Many<>(memo, loading, bulk, Many.distinct(keys));
        many.enter(() -> Caller.async(deadline(), memo.engine.executor()), memo::elsewhere);
        CompletableFuture<?>[] all =
                many.callers().stream().map(caller -> caller.result).toArray(CompletableFuture<?>[]::new);
        CompletableFuture<Map<K, V>> result = CompletableFuture.allOf(all).handle((done, failure) -> many.result());
        result.whenComplete((values, failure) -> {
            if (result.isCancelled()) many.callers().forEach(caller -> caller.result.cancel(false));
        });
        return result;
    }

    @Override
    public CompletableFuture<Optional<V>> getIfPresent(K key) {
        return open(
                () -> memo.actions().present(Objects.requireNonNull(key, "the key is null; a key names something")));
    }

    @Override
    public CompletableFuture<Void> put(K key, V value) {
        return open(() -> memo.actions().put(key, value));
    }

    @Override
    public CompletableFuture<Void> invalidate(K key) {
        return open(() -> memo.actions().invalidate(key));
    }

    @Override
    public CompletableFuture<Void> invalidateAll(Collection<? extends K> keys) {
        return open(() -> {
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (K key : keys) all.add(memo.actions().invalidate(key));
            return CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]));
        });
    }

    @Override
    public CompletableFuture<Void> clear() {
        return open(memo.actions()::clear);
    }

    private <T> CompletableFuture<T> open(Supplier<CompletableFuture<T>> act) {
        if (memo.engine.isClosed()) return CompletableFuture.failedFuture(memo.engine.closed());
        CompletableFuture<T> done;
        try {
            done = act.get();
        } catch (NullPointerException noKey) {
            throw noKey;
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        return done.handle((value, failure) -> {
            if (failure != null) throw Waiting.rethrow(failure);
            return value;
        });
    }

    @Override
    public Memoizer<K, V> sync() {
        return sync;
    }
}
