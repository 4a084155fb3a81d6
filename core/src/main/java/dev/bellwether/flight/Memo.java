// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.codec.Codec;
import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Keys;
import dev.bellwether.engine.Waiting;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.flight.Flight.FlightId;
import dev.bellwether.flight.Flight.Mode;
import dev.bellwether.flight.Flight.Stale;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.observe.BellwetherListener.Source;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.RequestId;
import dev.bellwether.spi.Subscription;
import dev.bellwether.spi.Version;
import dev.bellwether.time.Backoff;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One memoizer: its flights, its near cache, and the acts that both of its faces offer. Thread-safe. */
final class Memo<K, V> {
    private static final System.Logger LOG = System.getLogger("dev.bellwether.memo");

    /** So many computations at once, for this memoizer in this process, while the store is down. */
    private static final int LOCAL_COMPUTATIONS = 16;

    /** Looks of followers where the backend cannot push hints. */
    private static final Backoff UNPUSHED =
            Backoff.exponential(Duration.ofMillis(25), Duration.ofSeconds(1)).halfJittered();

    final Engine engine;
    final Policy<K, V> policy;
    final int fingerprint;
    final Epochs epochs;
    final NearCache<V> near;
    final StoreView<V> store;
    final ConcurrentHashMap<FlightId, Flight<K, V>> flights = new ConcurrentHashMap<>();
    final Bulkhead bulkhead = new Bulkhead(LOCAL_COMPUTATIONS);
    private final Keys<K> keys;
    private final Codec<V> codec;
    private final Bytes prefix;
    private final boolean pushed;
    private final Subscription hints;
    private volatile boolean closed;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    Memo(Engine engine, Epochs epochs, Policy<K, V> policy, Keys<K> keys, Codec<V> codec) {
        this.engine = engine;
        this.epochs = epochs;
        this.policy = policy;
        this.keys = keys;
        this.codec = codec;
        this.fingerprint = MemoRecord.hash(codec.fingerprint());
        this.prefix = engine.prefix("memo", policy.name()).plus(Bytes.utf8(policy.version() + ":"));
        this.near = new NearCache<>(policy.nearEntries(), engine.timer());
        this.store = new StoreView<>(engine, policy, fingerprint, epochs, near);
        this.pushed = engine.backend().capabilities().can(Power.PUSHED_HINTS);
        this.hints = engine.hints().onAny(hint -> {
            if (hint instanceof Hint.Changed changed) near.changed(changed.key());
            else if (hint instanceof Hint.Doubt) near.doubt();
        });
    }

    // ---- names

    Object nearKey(K key) {
        return key instanceof byte[] ? keys.encode(key) : key;
    }

    Bytes name(K key) {
        return prefix.plus(keys.encode(key));
    }

    String describe(K key) {
        String shown = String.valueOf(key);
        if (shown.length() > 80) shown = shown.substring(0, 80) + "...";
        return "memoizer " + policy.name() + ", key " + shown;
    }

    // ---- callers

    /** Puts the caller into the flight of its key, a new one if there is none. */
    @Nullable
    Flight<K, V> enter(Caller<V> caller, K key, FlightId id, Loading<K, V> loading, @Nullable Runnable decided) {
        if (closed || engine.isClosed()) {
            caller.fail(engine.closed());
            if (decided != null) decided.run();
            return null;
        }
        while (true) {
            Flight<K, V> present = flights.get(id);
            if (present == null) {
                Flight<K, V> fresh = new Flight<>(this, key, id, loading, decided);
                present = flights.putIfAbsent(id, fresh);
                if (present == null) {
                    join(fresh, caller);
                    fresh.start();
                    return fresh;
                }
            }
            if (join(present, caller)) {
                if (decided != null) decided.run();
                return present;
            }
            flights.remove(id, present);
        }
    }

    private boolean join(Flight<K, V> flight, Caller<V> caller) {
        if (!flight.join(caller)) return false;
        caller.result.whenComplete((value, failure) -> {
            if (caller.result.isCancelled()) flight.leave(caller);
        });
        return true;
    }

    void computeLocally(K key, Bytes name, Loading<K, V> loading, Caller<V> caller) {
        if (caller.deadline.isPast()) caller.deadline = engine.within(policy.atMost());
        enter(caller, key, new FlightId(name, Mode.LOCAL), loading, null);
    }

    /** What is there at the deadline, else what the policy says. */
    void lastLook(Flight<K, V> flight, Caller<V> caller, Runnable otherwise) {
        store.look(flight.valueKey, (found, failure) -> {
            if (failure != null || found == null || found.age() != StoreView.Age.FRESH) {
                otherwise.run();
                return;
            }
            onThreadOf(caller, () -> {
                try {
                    caller.complete(decode(found), Source.FOLLOWED);
                } catch (Exception undecodable) {
                    undecodable(flight.key, undecodable);
                    otherwise.run();
                }
            });
        });
    }

    private void onThreadOf(Caller<V> caller, Runnable work) {
        Mailbox mailbox = caller.mailbox;
        if (mailbox == null || !mailbox.offer(work)) engine.executor().execute(work);
    }

    /** Blocks until the callers are answered, lending them this thread. */
    void work(Mailbox mailbox, Collection<Caller<V>> callers, Deadline limit) {
        Mailbox outer = Mailbox.current();
        if (outer != null) outer.suspend().forEach(engine.executor()::execute);
        try {
            mailbox.enter();
            while (true) {
                Runnable task = mailbox.next(() -> callers.stream().allMatch(Caller::isDone), limit);
                if (task == null) break;
                task.run();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            for (Caller<V> caller : callers) caller.result.cancel(false);
        } finally {
            mailbox.close().forEach(engine.executor()::execute);
            if (outer != null) outer.enter();
        }
        for (Caller<V> caller : callers) {
            if (!caller.isDone()) {
                caller.fail(new WaitTimeoutException("memoizer " + policy.name() + " overran its own deadline", null));
            }
        }
    }

    // ---- waiting

    boolean polls() {
        return policy.polling() != null || !pushed;
    }

    /** How long to wait before the next look; null when the user's schedule is at its end. */
    @Nullable
    Duration pause(int waits, Duration remaining) {
        Backoff schedule = policy.polling() != null ? policy.polling() : pushed ? null : UNPUSHED;
        if (schedule == null) {
            double spread = Math.min(250, policy.lease().toMillis() / 10.0)
                    * engine.timer().random();
            return remaining.plus(Duration.ofNanos((long) (spread * 1_000_000))).plusMillis(1);
        }
        return waits > schedule.attempts() ? null : schedule.after(waits);
    }

    // ---- values

    @Nullable
    V decode(StoreView.Found found) throws Exception {
        MemoRecord memo = found.memo();
        if (memo == null) throw new IllegalStateException("nothing to decode");
        return memo.isNull() ? null : codec.decode(memo.payload().toArray());
    }

    byte[] encode(V value) throws Exception {
        return codec.encode(value);
    }

    Collection<String> tags(K key, @Nullable V value) {
        return policy.tags() == null ? List.of() : tagsOf(key, value);
    }

    @SuppressWarnings("NullAway") // the user's function sees null exactly where V admits it
    private Collection<String> tagsOf(K key, @Nullable V value) {
        return List.copyOf(policy.tags().apply(key, value));
    }

    boolean coversErrors(StoreView.Found found) {
        return store.coversErrors(found);
    }

    /** What this process still remembers, for when neither store nor source answers. */
    @Nullable
    Stale<V> fallback(K key) {
        NearCache.Entry<V> entry = near.fallback(nearKey(key));
        return entry == null ? null : new Stale<>(entry.value(), true);
    }

    /** Reads back what was just stored, with a hint armed, before it may be kept near. */
    void warm(K key, KvKey valueKey, @Nullable V value, Version version) {
        if (policy.nearEntries() == 0) return;
        store.look(valueKey, (found, failure) -> {
            if (found != null && found.entry().version().equals(version)) store.keep(nearKey(key), value, found);
        });
    }

    // ---- acts

    CompletableFuture<Optional<V>> present(K key) {
        CompletableFuture<Optional<V>> result = new CompletableFuture<>();
        store.look(engine.key(name(key)), (found, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (found == null || found.age() == StoreView.Age.USELESS || found.age() == StoreView.Age.ON_ERROR) {
                result.complete(Optional.empty());
            } else {
                engine.executor().execute(() -> decodePresent(key, found, result));
            }
        });
        return result;
    }

    private void decodePresent(K key, StoreView.Found found, CompletableFuture<Optional<V>> result) {
        try {
            V value = decode(found);
            store.keep(nearKey(key), value, found);
            result.complete(Optional.ofNullable(value));
        } catch (Exception undecodable) {
            undecodable(key, undecodable);
            result.complete(Optional.empty());
        }
    }

    CompletableFuture<Void> put(K key, V value) {
        Duration ttl = policy.ttlOf(key, value, null, engine.timer().random());
        Bytes payload;
        try {
            payload = value == null ? Bytes.EMPTY : Bytes.wrap(encode(value));
        } catch (Exception failure) {
            throw new BellwetherException(describe(key) + ": the value cannot be encoded: " + failure, failure);
        }
        if (ttl.isZero()) return invalidate(key);
        KvKey valueKey = engine.key(name(key));
        List<KvKey> names = new ArrayList<>();
        names.add(store.clear());
        for (String tag : tags(key, value)) names.add(epochs.tag(tag));
        Deadline deadline = writing();
        RequestId id = engine.newRequestId();
        return epochs.current(names, deadline)
                .thenCompose(marks -> {
                    List<MemoRecord.Epoch> under = new ArrayList<>();
                    for (Epochs.Mark mark : marks) under.add(new MemoRecord.Epoch(mark.name, mark.version()));
                    MemoRecord memo = new MemoRecord(value == null, fingerprint, ttl.toMillis(), 0, under, payload);
                    Commit commit = new Commit(
                            id,
                            List.of(),
                            List.of(
                                    new Put(valueKey, memo.encode(), Expiry.after(ttl.plus(policy.staleWindow()))),
                                    new Break(leaseOf(valueKey), null, true)));
                    return engine.send(
                            "put into " + policy.name(),
                            deadline,
                            () -> engine.backend().commit(commit));
                })
                .handle((reply, failure) -> {
                    near.changed(valueKey);
                    if (failure != null) throw Waiting.rethrow(failure);
                    return null;
                });
    }

    CompletableFuture<Void> invalidate(K key) {
        KvKey valueKey = engine.key(name(key));
        // Remembered for as long as a copy, or a computation that began before, could still be about.
        Duration remember = policy.staleWindow().plus(policy.lease());
        Commit commit = new Commit(
                engine.newRequestId(),
                List.of(),
                List.of(new Delete(valueKey, remember), new Break(leaseOf(valueKey), null, true)));
        near.changed(valueKey);
        return engine.send(
                        "invalidation in " + policy.name(),
                        writing(),
                        () -> engine.backend().commit(commit))
                .handle((reply, failure) -> {
                    near.changed(valueKey);
                    near.forget(nearKey(key));
                    if (failure != null) throw Waiting.rethrow(failure);
                    return null;
                });
    }

    CompletableFuture<Void> clear() {
        return epochs.bump(store.clear(), "clearing of " + policy.name());
    }

    /** Writes are worth a second attempt. */
    private Deadline writing() {
        return engine.within(engine.requestTimeout().multipliedBy(2));
    }

    private static LeaseName leaseOf(KvKey key) {
        return new LeaseName(key.partition(), key.name());
    }

    // ---- reports

    void told(Caller<V> caller, long startNanos) {
        Duration took = Duration.ofNanos(engine.timer().nanoTime() - startNanos);
        engine.tell(listener -> listener.onGet(new BellwetherListener.Get(policy.name(), caller.source, took)));
    }

    void toldNear() {
        engine.tell(listener -> listener.onGet(new BellwetherListener.Get(policy.name(), Source.NEAR, Duration.ZERO)));
    }

    void undecodable(K key, Exception failure) {
        warnOnce("values of " + policy.name()
                + " that do not decode count as absent and are computed anew; first seen at " + describe(key) + " ("
                + failure + ")");
    }

    void fillFailed(K key, Throwable failure) {
        LOG.log(
                System.Logger.Level.WARNING,
                describe(key) + " was computed and could not be stored: " + failure.getMessage());
    }

    void warnOnce(String sentence) {
        String kind = sentence.substring(0, Math.min(40, sentence.length()));
        if (warned.size() < 100 && warned.add(kind)) LOG.log(System.Logger.Level.WARNING, sentence);
    }

    /** How long a blocked thread waits at most, whatever happens: beyond every deadline of the engine. */
    Deadline blockedAtMost() {
        Duration all = Duration.ofNanos(Durations.nanos(policy.maxWait()))
                .plus(Duration.ofNanos(Durations.nanos(policy.atMost())))
                .plus(engine.requestTimeout().multipliedBy(4));
        return engine.within(all);
    }

    CompletableFuture<?> close() {
        closed = true;
        hints.close();
        near.close();
        List<CompletableFuture<?>> resigned = new ArrayList<>();
        for (Flight<K, V> flight : List.copyOf(flights.values())) resigned.add(flight.shut());
        return CompletableFuture.allOf(resigned.toArray(new CompletableFuture<?>[0]));
    }

    @Override
    public String toString() {
        return "memoizer " + policy.name() + " (" + flights.size() + " flights, " + near.size() + " near entries)";
    }
}
