// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Waiting;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.RejectedException;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.Mutation;
import dev.bellwether.time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** What one does with a memoizer beside asking it: look, put, forget. Thread-safe. */
final class Actions<K, V> {
    /*
     * Whatever changes the value ends the lead at the store in the same step, so that no computation from older data is
     * stored after it (law M2). Before the user hears of it, the near cache is told and the flights of this process are
     * sealed, so that no later call shares what was under way before.
     */
    private final Memo<K, V> memo;
    private final Engine engine;

    Actions(Memo<K, V> memo) {
        this.memo = memo;
        this.engine = memo.engine;
    }

    CompletableFuture<Optional<V>> present(K key) {
        CompletableFuture<Optional<V>> result = new CompletableFuture<>();
        memo.store.look(engine.key(memo.name(key)), (found, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (found == null
                    || (found.age() != StoreView.Age.FRESH && found.age() != StoreView.Age.REVALIDATE)) {
                result.complete(Optional.empty());
            } else {
                decodeElsewhere(key, found, result);
            }
        });
        return result;
    }

    private void decodeElsewhere(K key, StoreView.Found found, CompletableFuture<Optional<V>> result) {
        try {
            engine.executor().execute(() -> result.complete(decode(key, found)));
        } catch (RejectedExecutionException full) {
            result.completeExceptionally(
                    new BellwetherException(memo.describe(key) + ": the executor refused to decode the value", full));
        }
    }

    private Optional<V> decode(K key, StoreView.Found found) {
        V value;
        try {
            value = memo.decode(found);
        } catch (Exception undecodable) {
            memo.undecodable(key, undecodable);
            return Optional.empty();
        }
        memo.store.keep(memo.nearKey(key), value, found);
        return Optional.ofNullable(value);
    }

    CompletableFuture<Void> put(K key, @Nullable V value) {
        KvKey valueKey = engine.key(memo.name(key));
        Duration ttl = memo.policy.ttlOf(key, value, null, engine.timer().random());
        if (ttl.isZero()) return invalidate(key);
        Bytes payload = encoded(key, value);
        List<KvKey> names = new ArrayList<>();
        names.add(memo.store.clear());
        for (String tag : memo.tags(key, value)) names.add(memo.epochs.tag(tag));
        Deadline deadline = writing();
        return memo.epochs.current(names, deadline).thenCompose(marks -> {
            Bytes stored = memo.record(value, payload, ttl, 0, marks).encode();
            if (memo.isTooLarge(key, stored)) {
                throw new RejectedException(
                        memo.describe(key) + " is larger than the store's limit for one value", null);
            }
            Expiry expiry = Expiry.after(ttl.plus(memo.policy.staleWindow()));
            return change("put into ", deadline, key, valueKey, new Put(valueKey, stored, expiry));
        });
    }

    private Bytes encoded(K key, @Nullable V value) {
        try {
            return value == null ? Bytes.EMPTY : Bytes.wrap(memo.encode(value));
        } catch (Exception failure) {
            throw new BellwetherException(
                    memo.describe(key) + ": the value cannot be encoded: " + Failures.describe(failure), failure);
        }
    }

    CompletableFuture<Void> invalidate(K key) {
        KvKey valueKey = engine.key(memo.name(key));
        // Remembered for as long as a copy, or a computation that began before, could still be about.
        Duration remember = memo.policy.staleWindow().plus(memo.policy.lease());
        return change("invalidation in ", writing(), key, valueKey, new Delete(valueKey, remember));
    }

    private CompletableFuture<Void> change(String what, Deadline deadline, K key, KvKey valueKey, Mutation mutation) {
        LeaseName lease = new LeaseName(valueKey.partition(), valueKey.name());
        Commit commit = new Commit(engine.newRequestId(), List.of(), List.of(mutation, new Break(lease, null, true)));
        memo.near.changed(valueKey);
        return engine.send(
                        what + memo.policy.name(),
                        deadline,
                        () -> engine.backend().commit(commit))
                .handle((reply, failure) -> {
                    memo.near.changed(valueKey);
                    memo.near.forget(memo.nearKey(key));
                    memo.seal(valueKey.name());
                    if (failure != null) throw Waiting.rethrow(failure);
                    return null;
                });
    }

    CompletableFuture<Void> clear() {
        return memo.epochs
                .bump(memo.store.clear(), "clearing of " + memo.policy.name())
                .handle((done, failure) -> {
                    memo.sealAll();
                    if (failure != null) throw Waiting.rethrow(failure);
                    return null;
                });
    }

    /** Writes are worth a second attempt. */
    private Deadline writing() {
        return engine.within(engine.requestTimeout().multipliedBy(2));
    }
}
