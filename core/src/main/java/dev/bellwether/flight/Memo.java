// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.codec.Codec;
import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Keys;
import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.flight.Flight.FlightId;
import dev.bellwether.flight.Flight.Mode;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.observe.BellwetherListener.Source;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.Subscription;
import dev.bellwether.spi.Version;
import dev.bellwether.time.Backoff;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One memoizer: its flights, its near cache, and the acts that both of its faces offer. Thread-safe. */
final class Memo<K, V> {
    private static final System.Logger LOG = System.getLogger("dev.bellwether.memo");

    private static final List<Mode> MODES = List.of(Mode.values());

    /** So many computations at once, for this memoizer in this process, while the store is down. */
    private static final int LOCAL_COMPUTATIONS = 16;

    private static final int MOST_SHOWN = 80;

    /** Looks of followers where the backend cannot push hints. */
    private static final Backoff UNPUSHED =
            Backoff.exponential(Duration.ofMillis(25), Duration.ofSeconds(1)).halfJittered();

    /** A schedule of zeros must not keep the store busy. */
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

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
    private final Actions<K, V> actions;
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
        this.actions = new Actions<>(this);
        this.hints = engine.hints().onAny(this::hinted);
    }

    Actions<K, V> actions() {
        return actions;
    }

    private void hinted(Hint hint) {
        if (hint instanceof Hint.Changed changed) {
            if (!changed.key().name().startsWith(prefix)) return;
            near.changed(changed.key());
            each(changed.key().name(), Flight::doubt);
        } else if (hint instanceof Hint.Doubt) {
            near.doubt();
            flights.values().forEach(Flight::doubt);
        }
    }

    /** What is under way for the key is older than something that has just been acknowledged. */
    void seal(Bytes name) {
        each(name, Flight::seal);
    }

    void sealAll() {
        flights.values().forEach(Flight::seal);
    }

    private void each(Bytes name, Consumer<Flight<K, V>> what) {
        if (flights.isEmpty()) return;
        for (Mode mode : MODES) {
            Flight<K, V> flight = flights.get(new FlightId(name, mode));
            if (flight != null) what.accept(flight);
        }
    }

    // ---- names

    Object nearKey(K key) {
        return key instanceof byte[] ? keys.encode(key) : key;
    }

    Bytes name(K key) {
        return prefix.plus(keys.encode(key));
    }

    String describe(K key) {
        return "memoizer " + policy.name() + ", key "
                + Failures.shown(key, key.getClass().getName(), MOST_SHOWN);
    }

    // ---- callers

    /** What is fresh near, perhaps renewed in the background before its time; null if nothing is. Allocates nothing. */
    NearCache.@Nullable Entry<V> hit(K key, Loading<K, V> loading) {
        if (near.isOff()) return null;
        long now = engine.timer().nanoTime();
        NearCache.Entry<V> entry = near.fresh(nearKey(key), now);
        if (entry == null) return null;
        if (now - entry.earlyFrom() >= 0) {
            long left = entry.freshUntil() - now;
            if (Early.isDue(entry.costMillis(), left, engine.timer().random())) {
                refreshEarly(key, entry.version(), store.stale(entry.value(), entry.freshUntil()), loading);
            }
        }
        if (engine.isListening()) toldNear();
        return entry;
    }

    /** As a near hit does, for a value that came from the store. */
    void perhapsRefresh(K key, StoreView.Found found, @Nullable V value, Loading<K, V> loading) {
        MemoRecord memo = found.memo();
        long left = found.freshUntil() - engine.timer().nanoTime();
        if (memo == null || left > Early.window(memo.costMillis(), memo.ttlMillis())) return;
        if (Early.isDue(memo.costMillis(), left, engine.timer().random())) {
            refreshEarly(key, found.entry().version(), store.stale(value, found.freshUntil()), loading);
        }
    }

    private void refreshEarly(K key, Version version, Stale<V> value, Loading<K, V> loading) {
        FlightId id = new FlightId(name(key), Mode.REFRESH);
        if (closed || flights.containsKey(id)) return;
        Flight<K, V> flight = new Flight<>(this, key, id, loading, null);
        if (flights.putIfAbsent(id, flight) == null) flight.startFrom(version, value);
    }

    /** Puts the caller into the flight of its key, a new one if there is none. */
    @Nullable
    Flight<K, V> enter(Caller<V> caller, K key, FlightId id, Loading<K, V> loading, @Nullable Runnable decided) {
        while (true) {
            if (closed || engine.isClosed()) {
                caller.fail(engine.closed());
                if (decided != null) decided.run();
                return null;
            }
            Flight<K, V> present = flights.get(id);
            if (present == null) {
                Flight<K, V> fresh = new Flight<>(this, key, id, loading, decided);
                if (!fresh.join(caller)) throw new IllegalStateException("a new flight refused its first caller");
                present = flights.putIfAbsent(id, fresh);
                if (present == null) {
                    if (closed) fresh.shut();
                    else fresh.start();
                    return fresh;
                }
                fresh.leave(caller);
            }
            if (present.join(caller)) {
                if (decided != null) decided.run();
                return present;
            }
            flights.remove(id, present);
        }
    }

    /** @param unavailable why it cannot be shared, if the store's failure is the reason */
    void computeLocally(K key, Bytes name, Loading<K, V> loading, Caller<V> caller, @Nullable Throwable unavailable) {
        caller.unavailable = unavailable;
        if (caller.deadline.isPast()) caller.deadline = engine.within(policy.atMost());
        enter(caller, key, new FlightId(name, Mode.LOCAL), loading, null);
    }

    /** For who waited in vain for a computation without the store. */
    BellwetherException crowded(K key, boolean begun, @Nullable Throwable unavailable) {
        String what = describe(key)
                + (begun
                        ? " is still being computed without the store"
                        : " waited in vain to be computed without the store, as " + LOCAL_COMPUTATIONS + " others are")
                + "; raise maxWait, or choose whenUnavailable(FAIL)";
        return unavailable != null && !begun
                ? new BackendUnavailableException(what, unavailable)
                : new WaitTimeoutException(what, unavailable);
    }

    /** What is there at the deadline, else what the policy says. */
    void lastLook(Flight<K, V> flight, Caller<V> caller, Runnable otherwise) {
        store.look(flight.valueKey, (found, failure) -> {
            if (found == null || found.age() != StoreView.Age.FRESH || !flight.answers(found)) {
                otherwise.run();
                return;
            }
            onThreadOf(caller.mailbox, () -> {
                V value;
                try {
                    value = decode(found);
                } catch (Exception undecodable) {
                    undecodable(flight.key, undecodable);
                    otherwise.run();
                    return;
                }
                caller.complete(value, Source.FOLLOWED);
            });
        });
    }

    /** On the thread that works the mailbox, else on the executor. */
    void onThreadOf(@Nullable Mailbox mailbox, Runnable work) {
        if (mailbox == null || !mailbox.offer(work)) elsewhere(work);
    }

    /** On the executor; where that refuses, here, since somebody waits for it. */
    void elsewhere(Runnable work) {
        try {
            engine.executor().execute(work);
        } catch (RejectedExecutionException full) {
            work.run();
        }
    }

    /** Blocks until the callers are answered, lending them this thread. */
    void work(Mailbox mailbox, List<Caller<V>> callers, Deadline limit) {
        Mailbox outer = Mailbox.current();
        if (outer != null) outer.suspend().forEach(this::elsewhere);
        boolean ended = false;
        try {
            mailbox.enter();
            BooleanSupplier done = allDone(callers);
            for (Runnable task = mailbox.next(done, limit); task != null; task = mailbox.next(done, limit)) task.run();
            ended = true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            if (!ended) callers.forEach(caller -> caller.result.cancel(false));
            mailbox.close().forEach(this::elsewhere);
            if (outer != null) outer.enter();
        }
        for (Caller<V> caller : callers) {
            if (!caller.isDone()) {
                caller.fail(new WaitTimeoutException("memoizer " + policy.name() + " overran its own deadline", null));
            }
        }
    }

    /** Looks at each answered caller once, however often it is asked. */
    private static <V> BooleanSupplier allDone(List<Caller<V>> callers) {
        AtomicInteger first = new AtomicInteger();
        return () -> {
            int i = first.get();
            while (i < callers.size() && callers.get(i).isDone()) i++;
            first.set(i);
            return i == callers.size();
        };
    }

    // ---- waiting

    boolean polls() {
        return policy.polling() != null || !pushed;
    }

    /** After how many looks in vain a caller gives up, by the user's schedule. */
    int attempts() {
        return policy.polling() == null ? Integer.MAX_VALUE : policy.polling().attempts();
    }

    /** How long to wait before the next look. */
    Duration pause(int waits, Duration remaining) {
        Backoff schedule = policy.polling() != null ? policy.polling() : pushed ? null : UNPUSHED;
        if (schedule == null) {
            double spread = Math.min(250, policy.lease().toMillis() / 10.0)
                    * engine.timer().random();
            return remaining.plus(Duration.ofNanos((long) (spread * 1_000_000))).plusMillis(1);
        }
        Duration pause = schedule.after(waits);
        return pause.compareTo(SHORTEST_PAUSE) > 0 ? pause : SHORTEST_PAUSE;
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

    /** The record of a value, as it is stored. */
    MemoRecord record(@Nullable V value, Bytes payload, Duration ttl, int costMillis, List<Epochs.Mark> marks) {
        List<MemoRecord.Epoch> under = new ArrayList<>(marks.size());
        for (Epochs.Mark mark : marks) under.add(new MemoRecord.Epoch(mark.name, mark.version()));
        return new MemoRecord(value == null, fingerprint, ttl.toMillis(), costMillis, under, payload);
    }

    boolean isTooLarge(K key, Bytes stored) {
        int most = engine.backend().capabilities().limits().maxValueBytes();
        if (stored.length() <= most) return false;
        warnOnce("values of " + policy.name() + " larger than " + most + " bytes are returned and not stored; "
                + describe(key) + " has " + stored.length());
        return true;
    }

    /** What this process still remembers, for when neither store nor source answers. */
    @Nullable
    Stale<V> fallback(K key) {
        NearCache.Entry<V> entry = near.fallback(nearKey(key));
        return entry == null ? null : store.stale(entry.value(), entry.freshUntil());
    }

    /** Reads back what was just stored, with a hint armed, before it may be kept near. */
    void warm(K key, KvKey valueKey, @Nullable V value, Version version) {
        if (policy.nearEntries() == 0) return;
        store.look(valueKey, (found, failure) -> {
            if (found != null
                    && found.age() == StoreView.Age.FRESH
                    && found.entry().version().equals(version)) {
                store.keep(nearKey(key), value, found);
            }
        });
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
