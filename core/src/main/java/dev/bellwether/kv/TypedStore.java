// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.codec.Codec;
import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Keys;
import dev.bellwether.error.RejectedException;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation.Count;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Op;
import dev.bellwether.spi.EntryMutation.Overflow;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.EntryMutation.Touch;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.store.Entry;
import dev.bellwether.time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The acts of one store as steps; both faces of it stand on this. Thread-safe. */
final class TypedStore<K, V> {
    /** How long a delete is remembered: a version read before it must not come back within any transaction's life. */
    static final Duration REMEMBER = Duration.ofSeconds(60);

    private final Engine engine;
    private final String name;
    private final Keys<K> keys;
    private final Format<V> format;
    private final Bytes prefix;
    private final @Nullable Partition whole;

    TypedStore(Engine engine, String name, Class<K> keys, Codec<V> codec) {
        this.engine = engine;
        this.name = name;
        this.keys = Keys.of(keys);
        this.format = new Format<>(name, codec);
        this.prefix = engine.prefix("kv", name);
        // Where partitions do not bind, a store is one: it can then be listed without being colocated.
        boolean unbound = engine.backend().capabilities().can(Power.CROSS_PARTITION);
        this.whole = unbound && !engine.isColocated() ? new Partition(prefix) : null;
    }

    Engine engine() {
        return engine;
    }

    String name() {
        return name;
    }

    Keys<K> keys() {
        return keys;
    }

    Format<V> format() {
        return format;
    }

    Bytes prefix() {
        return prefix;
    }

    KvKey place(K key) {
        return place(keys.encode(key));
    }

    KvKey place(Bytes encoded) {
        Bytes full = prefix.plus(encoded);
        return whole != null ? new KvKey(whole, full) : engine.key(full);
    }

    /** @throws IllegalArgumentException if the name is no key of this store */
    K keyOf(KvKey place) {
        byte[] full = place.name().toArray();
        return keys.decode(Bytes.wrap(Arrays.copyOfRange(full, prefix.length(), full.length)));
    }

    /** @throws IllegalStateException if this store's keys do not lie side by side, or cannot be listed at all */
    void ensureOrdered() {
        if (!engine.backend().capabilities().can(Power.ORDERED_SCAN)) {
            throw new IllegalStateException(
                    "store " + name + " cannot be listed: this backend keeps no order of keys"
                            + " (it lacks the power ORDERED_SCAN); keep an index in entries of your own, or use another backend");
        }
        if (whole == null && !engine.isColocated()) {
            throw new IllegalStateException("store " + name + " cannot be listed: its keys are spread over partitions;"
                    + " open it by bw.colocated(…), whose keys share one");
        }
    }

    Deadline deadline() {
        return engine.within(Step.LIMIT);
    }

    CompletableFuture<Reading> read(List<KvKey> places, boolean arm, Deadline deadline) {
        Query query = new Query.Keys(places, arm);
        return engine.look(
                "read of store " + name, deadline, () -> engine.backend().read(query));
    }

    Step<Reading, Entry<K, V>> entry(K key, Deadline deadline) {
        return new Step<>(
                read(List.of(place(key)), false, deadline),
                reading -> StoredEntry.of(this, key, reading.entries().get(0)),
                false);
    }

    Step<Reading, Map<K, V>> getAll(Collection<? extends K> wanted, Deadline deadline) {
        List<K> list = List.copyOf(wanted);
        if (list.isEmpty()) {
            Reading nothing = new Reading(List.of(), false, StoreTime.exact(0));
            return new Step<>(CompletableFuture.completedFuture(nothing), reading -> Map.of(), false);
        }
        List<KvKey> places = list.stream().map(this::place).toList();
        return new Step<>(read(places, false, deadline), reading -> present(list, reading.entries()), false);
    }

    private Map<K, V> present(List<K> list, List<KvEntry> entries) {
        Map<K, V> found = new LinkedHashMap<>();
        for (int i = 0; i < list.size(); i++) {
            K key = list.get(i);
            StoredEntry.of(this, key, entries.get(i)).value().ifPresent(value -> found.put(key, value));
        }
        return found;
    }

    CompletableFuture<CommitReply> commit(List<Check> checks, Mutation mutation, Deadline deadline) {
        Commit commit = new Commit(engine.newRequestId(), checks, List.of(mutation));
        return engine.send(
                "write to store " + name, deadline, () -> engine.backend().commit(commit));
    }

    Step<CommitReply, Boolean> put(K key, V value, Expiry expiry, Deadline deadline) {
        Put put = new Put(place(key), format.encode(key, value), expiry);
        return new Step<>(
                commit(List.of(), put, deadline),
                reply -> !committed(reply).outcomes().isEmpty(),
                true);
    }

    private CommitReply.Committed committed(CommitReply reply) {
        if (reply instanceof CommitReply.Committed done) return done;
        throw new IllegalStateException("store " + name + ": the backend refused a write that insists on nothing: "
                + reply + "; please report this");
    }

    Step<Boolean, Boolean> putIfAbsent(K key, V value, Deadline deadline) {
        Put put = new Put(place(key), format.encode(key, value), Expiry.NEVER);
        return new Step<>(putUnless(put, new Check.Vacant(put.key(), true), deadline), stored -> stored, true);
    }

    /** A value of another shape counts as absent, so it is replaced, provided that it has not changed meanwhile. */
    private CompletableFuture<Boolean> putUnless(Put put, Check check, Deadline deadline) {
        return commit(List.of(check), put, deadline).thenCompose(reply -> {
            if (reply instanceof CommitReply.Committed) return CompletableFuture.completedFuture(true);
            Obstacle.EntryDiffers now = differs((CommitReply.Conflict) reply);
            if (now.present() && now.value().map(format::reads).orElse(true)) {
                return CompletableFuture.completedFuture(false);
            }
            Check next =
                    now.present() ? new Check.Is(put.key(), now.version(), true) : new Check.Vacant(put.key(), true);
            return putUnless(put, next, deadline);
        });
    }

    private static Obstacle.EntryDiffers differs(CommitReply.Conflict conflict) {
        return (Obstacle.EntryDiffers) conflict.obstacles().get(0);
    }

    Step<CommitReply, Boolean> delete(K key, Deadline deadline) {
        return new Step<>(
                commit(List.of(), new Delete(place(key), REMEMBER), deadline),
                reply -> existed(committed(reply).outcomes().get(0)),
                true);
    }

    static boolean existed(Outcome outcome) {
        return outcome instanceof Outcome.Deleted deleted && deleted.existed();
    }

    Step<CommitReply, Boolean> touch(K key, Duration ttl, Deadline deadline) {
        return new Step<>(
                commit(List.of(), new Touch(place(key), Expiry.after(ttl)), deadline),
                reply -> reply instanceof CommitReply.Committed,
                true);
    }

    void ensureCounters() {
        if (!format.isCounters()) {
            throw new IllegalArgumentException("store " + name + " keeps no counters: its codec is not that of Long");
        }
    }

    Step<CommitReply, Long> add(K key, long amount, Deadline deadline) {
        ensureCounters();
        Count count = new Count(place(key), Op.ADD, amount, Overflow.FAIL, Expiry.KEEP);
        return new Step<>(commit(List.of(), count, deadline), reply -> counted(key, reply), true);
    }

    private Long counted(K key, CommitReply reply) {
        if (reply instanceof CommitReply.Committed done && done.outcomes().get(0) instanceof Outcome.Counted counted) {
            return counted.number();
        }
        if (reply instanceof CommitReply.Conflict conflict
                && conflict.obstacles().get(0) instanceof Obstacle.Unfit unfit) {
            throw new RejectedException(name + "[" + key + "]: " + unfit.reason() + "; nothing happened", null);
        }
        throw new IllegalStateException("store " + name + ": no answer to a count: " + reply);
    }

    /** Replaces exactly what was read, keeping its time to live. */
    Step<CommitReply, Boolean> replace(StoredEntry<K, V> seen, V value, Deadline deadline) {
        Put put = new Put(seen.place(), format.encode(seen.key(), value), Expiry.KEEP);
        return new Step<>(
                commit(List.of(seen.check(false)), put, deadline),
                reply -> reply instanceof CommitReply.Committed,
                true);
    }

    /** Deletes all of them or none; how many stood there. */
    Step<CommitReply, Integer> deleteAll(List<KvKey> places, Deadline deadline) {
        List<Mutation> deletes = new ArrayList<>();
        for (KvKey place : places) deletes.add(new Delete(place, REMEMBER));
        Commit commit = new Commit(engine.newRequestId(), List.of(), deletes);
        return new Step<>(
                engine.send(
                        "delete in store " + name,
                        deadline,
                        () -> engine.backend().commit(commit)),
                reply -> (int) committed(reply).outcomes().stream()
                        .filter(TypedStore::existed)
                        .count(),
                true);
    }
}
