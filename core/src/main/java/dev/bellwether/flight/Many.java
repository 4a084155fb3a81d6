// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.engine.Waiting;
import dev.bellwether.error.LoadFailedException;
import dev.bellwether.flight.Flight.FlightId;
import dev.bellwether.flight.Flight.Mode;
import dev.bellwether.memo.Loader;
import dev.bellwether.spi.Bytes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The keys of one {@code getAll}, each in its flight. */
final class Many<K, V> {
    /** So many failed keys are named in the message. */
    private static final int MOST_NAMED = 20;

    private final Memo<K, V> memo;
    private final Loading<K, V> loading;
    private final Loader.@Nullable Bulk<K, V> bulk;
    private final Set<K> keys;
    private final Map<K, NearCache.Entry<V>> near = new LinkedHashMap<>();
    private final Map<K, Caller<V>> callers = new LinkedHashMap<>();
    private final List<Flight<K, V>> flights = new ArrayList<>();

    Many(Memo<K, V> memo, Loading<K, V> loading, Loader.@Nullable Bulk<K, V> bulk, Set<K> keys) {
        this.memo = memo;
        this.loading = loading;
        this.bulk = bulk;
        this.keys = keys;
    }

    static <K> Set<K> distinct(Collection<? extends K> keys) {
        Set<K> distinct = new LinkedHashSet<>();
        for (K key : keys) distinct.add(Objects.requireNonNull(key, "one of the keys is null"));
        return distinct;
    }

    /** @param userThread where the bulk loader runs if nothing else brings a thread */
    void enter(Supplier<Caller<V>> caller, Consumer<Runnable> userThread) {
        for (K key : keys) {
            NearCache.Entry<V> entry = memo.hit(key, loading);
            if (entry != null) near.put(key, entry);
            else callers.put(key, caller.get());
        }
        BulkBatch<K, V> batch = bulk == null ? null : new BulkBatch<>(bulk, callers.keySet(), userThread);
        callers.forEach((key, each) -> enter(key, each, batch));
    }

    private void enter(K key, Caller<V> caller, @Nullable BulkBatch<K, V> batch) {
        Runnable decided = batch == null ? null : () -> batch.decided(key);
        Flight<K, V> flight;
        try {
            Bytes name = memo.name(key);
            Circles.refuseRecursion(memo, key, name);
            flight = memo.enter(caller, key, new FlightId(name, Mode.GET), batch == null ? loading : batch, decided);
        } catch (IllegalArgumentException | IllegalStateException refused) {
            caller.fail(refused);
            if (decided != null) decided.run();
            return;
        }
        if (flight != null) flights.add(flight);
    }

    List<Caller<V>> callers() {
        return List.copyOf(callers.values());
    }

    List<Flight<K, V>> flights() {
        return flights;
    }

    boolean wasCancelled() {
        return callers.values().stream().anyMatch(caller -> caller.result.isCancelled());
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
        return Collections.unmodifiableMap(values);
    }

    @SuppressWarnings("NullAway") // null is a value where V admits it
    private void put(Map<K, V> values, K key, @Nullable V value) {
        values.put(key, value);
    }

    private RuntimeException failure(Map<K, Throwable> failures) {
        for (Throwable failure : failures.values()) {
            if (!(failure instanceof LoadFailedException)) return Waiting.rethrow(failure);
        }
        LoadFailedException first =
                (LoadFailedException) failures.values().iterator().next();
        List<K> named = failures.keySet().stream().limit(MOST_NAMED).toList();
        return new LoadFailedException(
                failures.size() + " of " + keys.size() + " keys of memoizer " + memo.policy.name()
                        + " could not be computed: "
                        + Failures.shown(named, "(no text)", 1_000) + (failures.size() > MOST_NAMED ? " and more" : "")
                        + "; first: " + first.getMessage(),
                first,
                first.causeTypes());
    }
}
