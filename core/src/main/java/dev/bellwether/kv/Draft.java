// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.engine.CommitPart;
import dev.bellwether.engine.Engine;
import dev.bellwether.engine.EnqueuePart;
import dev.bellwether.lock.Lease;
import dev.bellwether.queue.Delivery;
import dev.bellwether.queue.Envelope;
import dev.bellwether.queue.WorkQueue;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.EntryMutation.Op;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Place;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueName;
import dev.bellwether.store.Entry;
import dev.bellwether.store.KvStore;
import dev.bellwether.store.Transaction;
import dev.bellwether.time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A transaction while its body runs: what it has seen, what it insists on, what it will do. For one thread. */
final class Draft implements Transaction {
    private final Engine engine;
    private final boolean mayRead;
    private final Map<KvKey, StoredEntry<?, ?>> seen = new LinkedHashMap<>();
    private final Set<StoredEntry<?, ?>> insisted = new LinkedHashSet<>();
    private final Map<KvKey, Change> changes = new LinkedHashMap<>();
    private final Map<KvKey, String> names = new LinkedHashMap<>();
    private final Map<QueueName, Addition> additions = new LinkedHashMap<>();
    private final Set<CommitPart> parts = new LinkedHashSet<>();
    private @Nullable Place first;
    private String firstName = "";
    private boolean over;

    /** What one queue receives. */
    record Addition(EnqueuePart<?, ?> queue, Enqueue enqueue) {}

    Draft(Engine engine, boolean mayRead) {
        this.engine = engine;
        this.mayRead = mayRead;
    }

    /** Nothing can be added afterwards. */
    Proposal end() {
        over = true;
        return new Proposal(
                engine, List.copyOf(insisted), names, changes, List.copyOf(additions.values()), List.copyOf(parts));
    }

    private void ensureOpen() {
        if (over)
            throw new IllegalStateException("this transaction has ended: it is spoken to only while its body runs");
    }

    /** Everything lies in one partition, or the backend does not care. */
    private void join(Place place, String name) {
        Place present = first;
        if (present == null) {
            first = place;
            firstName = name;
        } else if (!present.partition().equals(place.partition())
                && !engine.backend().capabilities().can(Power.CROSS_PARTITION)) {
            throw new IllegalStateException(
                    firstName + " and " + name + " lie in two partitions, and this backend commits"
                            + " within one only; wrap both in bw.colocated(…)");
        }
    }

    private <K, V> TypedStore<K, V> joined(KvStore<K, V> store, K key) {
        ensureOpen();
        TypedStore<K, V> typed = StoreService.typed(store);
        if (typed.engine().backend() != engine.backend()) {
            throw new IllegalArgumentException(
                    "store " + store.name() + " is on another backend than this transaction");
        }
        join(typed.place(key), typed.name() + "[" + key + "]");
        names.putIfAbsent(typed.place(key), typed.name() + "[" + key + "]");
        return typed;
    }

    @Override
    public <K, V> Optional<V> get(KvStore<K, V> store, K key) {
        TypedStore<K, V> typed = joined(store, key);
        KvKey place = typed.place(key);
        Change change = changes.get(place);
        if (change == null) return read(typed, key).value();
        Optional<Bytes> before = change instanceof Change.Count
                ? read(typed, key).value().map(value -> typed.format().encode(key, value))
                : Optional.empty();
        return change.over(before)
                .filter(typed.format()::reads)
                .map(bytes -> typed.format().decode(key, bytes));
    }

    @SuppressWarnings("unchecked") // an entry's types are those of the store that made it
    private <K, V> StoredEntry<K, V> read(TypedStore<K, V> typed, K key) {
        KvKey place = typed.place(key);
        StoredEntry<?, ?> known = seen.get(place);
        if (known != null && known.store() == typed) return (StoredEntry<K, V>) known;
        if (!mayRead) {
            throw new IllegalStateException(
                    "a submitted transaction does not read, as it must not wait; use attempt, or check an entry");
        }
        Deadline deadline = typed.deadline();
        StoredEntry<K, V> entry = (StoredEntry<K, V>) typed.entry(key, deadline).await(engine, deadline);
        seen.put(place, entry);
        insisted.add(entry);
        return entry;
    }

    @Override
    public Transaction check(Entry<?, ?> entry) {
        ensureOpen();
        if (!(entry instanceof StoredEntry<?, ?> stored)) {
            throw new IllegalArgumentException("the entry of key " + entry.key() + " was not read from a store");
        }
        join(stored.place(), stored.store().name() + "[" + stored.key() + "]");
        names.putIfAbsent(stored.place(), stored.store().name() + "[" + stored.key() + "]");
        seen.putIfAbsent(stored.place(), stored);
        insisted.add(stored);
        return this;
    }

    @Override
    public Transaction require(Lease lease) {
        return part(lease, "lease " + lease.name());
    }

    @Override
    public Transaction acknowledge(Delivery<?> delivery) {
        return part(delivery, "delivery of message " + delivery.id());
    }

    private Transaction part(Object thing, String name) {
        ensureOpen();
        if (!(thing instanceof CommitPart part)) {
            throw new IllegalArgumentException("the " + name + " was not made by a Bellwether");
        }
        part.checks().forEach(check -> join(Proposal.place(check), name));
        part.mutations().forEach(mutation -> join(mutation.place(), name));
        parts.add(part);
        return this;
    }

    @Override
    public <K, V> Transaction put(KvStore<K, V> store, K key, V value) {
        return put(store, key, value, Expiry.NEVER);
    }

    @Override
    public <K, V> Transaction put(KvStore<K, V> store, K key, V value, Duration ttl) {
        return put(store, key, value, Expiry.after(ttl));
    }

    private <K, V> Transaction put(KvStore<K, V> store, K key, V value, Expiry expiry) {
        TypedStore<K, V> typed = joined(store, key);
        changes.put(typed.place(key), new Change.Store(typed.format().encode(key, value), expiry));
        return this;
    }

    @Override
    public <K> Transaction delete(KvStore<K, ?> store, K key) {
        TypedStore<K, ?> typed = joined(store, key);
        changes.put(typed.place(key), new Change.Remove());
        return this;
    }

    @Override
    public <K> Transaction add(KvStore<K, Long> store, K key, long amount) {
        return count(store, key, new Change.Count(Op.ADD, amount));
    }

    @Override
    public <K> Transaction min(KvStore<K, Long> store, K key, long bound) {
        return count(store, key, new Change.Count(Op.MIN, bound));
    }

    @Override
    public <K> Transaction max(KvStore<K, Long> store, K key, long bound) {
        return count(store, key, new Change.Count(Op.MAX, bound));
    }

    private <K> Transaction count(KvStore<K, Long> store, K key, Change.Count count) {
        TypedStore<K, Long> typed = joined(store, key);
        typed.ensureCounters();
        KvKey place = typed.place(key);
        changes.put(place, Change.counted(changes.get(place), count, typed.name() + "[" + key + "]"));
        return this;
    }

    @Override
    public <T> Transaction enqueue(WorkQueue<T> queue, T message) {
        return enqueued(queue, message, null);
    }

    @Override
    public <T> Transaction enqueue(WorkQueue<T> queue, T message, Envelope envelope) {
        return enqueued(queue, message, envelope);
    }

    @SuppressWarnings("unchecked") // our queues take their own messages in envelopes
    private <T> Transaction enqueued(WorkQueue<T> queue, T message, @Nullable Envelope envelope) {
        ensureOpen();
        if (!(queue instanceof EnqueuePart<?, ?> part)) {
            throw new IllegalArgumentException("queue " + queue.name() + " was not opened by a Bellwether");
        }
        Enqueue enqueue = ((EnqueuePart<T, Envelope>) part).enqueuing(message, envelope);
        join(enqueue.queue(), "queue " + queue.name());
        additions.merge(enqueue.queue(), new Addition(part, enqueue), Draft::both);
        return this;
    }

    private static Addition both(Addition one, Addition other) {
        List<dev.bellwether.spi.Message> messages =
                new ArrayList<>(one.enqueue().messages());
        messages.addAll(other.enqueue().messages());
        long bound = Math.min(one.enqueue().bound(), other.enqueue().bound());
        return new Addition(one.queue(), new Enqueue(one.enqueue().queue(), messages, bound));
    }

    @Override
    public String toString() {
        List<String> effects = new ArrayList<>();
        changes.forEach((key, change) -> effects.add(names.get(key) + ": " + change));
        additions
                .values()
                .forEach(addition -> effects.add(addition.enqueue().messages().size() + " to queue "
                        + addition.queue().queueName()));
        return "transaction on " + insisted + " with " + effects;
    }

    static List<Mutation> mutations(Map<KvKey, Change> changes) {
        List<Mutation> mutations = new ArrayList<>();
        changes.forEach((key, change) -> mutations.add(change.mutation(key)));
        return mutations;
    }
}
