// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.engine.Engine;
import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.LoadFailedException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.memo.Memoizer.Fallback;
import dev.bellwether.observe.BellwetherListener.Source;
import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Unless;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Subscription;
import dev.bellwether.spi.Version;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All callers of this process that wait for one key, and what is being done for them. */
final class Flight<K, V> {
    /*
     * The flow
     * --------
     * look (a read that arms a hint) -> usable: done. Otherwise acquire unless the value has changed since that look:
     * Granted: lead, that is Leading computes and fills. Found: somebody was faster, done. Hushed: the leader whom we
     * waited for failed, share it; else ask again even though it is quiet. Busy: wait for a hint that the value changed
     * (look), a hint that the lease is free or the end of its term (acquire). Verdict and lease are one step at the
     * store, and the hint is armed in that step, so nothing falls between a check and a wait; a lost hint costs at most
     * the remaining term.
     *
     * One step at a time: each request, wait and timer belongs to a turn, and only who claims the present turn goes on.
     * Whatever comes late finds its turn gone; a grant that comes late is given back.
     *
     * Callers come and go: each has its own deadline, and leaves with a last look. A flight without callers stops
     * waiting, but a computation goes on and is stored. User code (decoding, loading) runs on the thread of a blocked
     * caller if there is one, else on the executor, never on the thread that brought a reply.
     */
    enum Mode {
        GET,
        /** Computes though a fresh value stands there. */
        REFRESH,
        /** Computes without the store. */
        LOCAL
    }

    record FlightId(Bytes name, Mode mode) {}

    /** A value past its time, and what it may still be used for. */
    record Stale<V>(@Nullable V value, boolean onError) {}

    final Memo<K, V> memo;
    final K key;
    final FlightId id;
    final KvKey valueKey;
    final LeaseName lease;
    final Loading<K, V> loading;

    /** What the thread that computes this flight waits for, to find circles. */
    volatile @Nullable Flight<?, ?> waitsFor;

    private final @Nullable Runnable decided;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Caller<V>> callers = new ArrayList<>(2);
    private boolean over;
    private boolean leads;
    private @Nullable Stale<V> served;

    private final AtomicInteger turn = new AtomicInteger();
    private volatile int waiting = -1;
    private volatile boolean changed;
    private volatile boolean freed;
    private volatile @Nullable Subscription hints;
    private volatile boolean asked;
    private volatile Owner owner;
    private volatile Version seen = Version.NONE;
    private volatile @Nullable Stale<V> stale;
    private volatile long waitedFor;
    private volatile boolean evenIfQuiet;
    private volatile boolean followed;
    private volatile boolean looked;
    private volatile @Nullable Leading<K, V> leading;
    private int waits;

    /** @param decided run once when it is known whether this flight computes; null if nobody asks */
    Flight(Memo<K, V> memo, K key, FlightId id, Loading<K, V> loading, @Nullable Runnable decided) {
        this.memo = memo;
        this.key = key;
        this.id = id;
        this.valueKey = memo.engine.key(id.name());
        this.lease = new LeaseName(valueKey.partition(), id.name());
        this.loading = loading;
        this.decided = decided;
        this.owner = memo.engine.newOwner();
    }

    // ---- callers

    /** False if the flight has ended. */
    boolean join(Caller<V> caller) {
        Stale<V> already;
        lock.lock();
        try {
            if (over) return false;
            already = served;
            if (already == null) callers.add(caller);
        } finally {
            lock.unlock();
        }
        if (already != null) {
            caller.complete(already.value(), Source.STALE);
            return true;
        }
        caller.timeout = memo.engine.timer().after(caller.deadline.remaining(), () -> atDeadline(caller));
        if (caller.isDone()) leave(caller);
        return true;
    }

    /** The caller waits no more; true if it was waiting here. */
    boolean leave(Caller<V> caller) {
        boolean was;
        boolean idle;
        lock.lock();
        try {
            was = callers.remove(caller);
            idle = was && callers.isEmpty() && !leads && !over && id.mode() != Mode.LOCAL;
            if (idle) over = true;
        } finally {
            lock.unlock();
        }
        if (idle) {
            turn.incrementAndGet();
            end();
            giveUpPlace();
        }
        return was;
    }

    private void atDeadline(Caller<V> caller) {
        if (caller.computing) return;
        if (id.mode() == Mode.LOCAL) {
            if (leave(caller)) exhausted(caller);
        } else if (leave(caller)) memo.lastLook(this, caller, () -> exhausted(caller));
    }

    private void exhausted(Caller<V> caller) {
        Fallback fallback = memo.policy.whenExhausted();
        Stale<V> last = stale;
        if (fallback == Fallback.STALE && last != null && last.onError()) {
            caller.complete(last.value(), Source.STALE);
        } else if (fallback == Fallback.COMPUTE && id.mode() != Mode.LOCAL) {
            memo.computeLocally(key, id.name(), loading, caller);
        } else {
            caller.fail(new WaitTimeoutException(
                    memo.describe(key) + " is still being computed by another after "
                            + memo.policy.maxWait().toMillis()
                            + " ms; raise maxWait, choose whenExhausted(COMPUTE), or allow staleIfError",
                    null));
        }
    }

    /** Everybody who waits, without those whose thread computes. */
    List<Caller<V>> detach() {
        lock.lock();
        try {
            List<Caller<V>> others = new ArrayList<>(callers);
            others.removeIf(caller -> caller.computing);
            callers.removeAll(others);
            return others;
        } finally {
            lock.unlock();
        }
    }

    void detachOne(Caller<V> caller) {
        lock.lock();
        try {
            callers.remove(caller);
        } finally {
            lock.unlock();
        }
    }

    boolean hasCallers() {
        lock.lock();
        try {
            return !callers.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    // ---- user code

    /** Runs user code on the thread of a blocked caller, else on the executor. */
    void user(Consumer<@Nullable Caller<V>> work) {
        List<Caller<V>> present;
        lock.lock();
        try {
            present = List.copyOf(callers);
        } finally {
            lock.unlock();
        }
        for (Caller<V> caller : present) {
            Mailbox mailbox = caller.mailbox;
            if (mailbox != null && mailbox.offer(() -> work.accept(caller))) return;
        }
        try {
            memo.engine.executor().execute(() -> work.accept(null));
        } catch (RejectedExecutionException full) {
            fail(new BellwetherException(
                    "the executor refused to run the loader of " + memo.describe(key) + "; give it more room", full));
        }
    }

    // ---- the flow

    void start() {
        if (id.mode() == Mode.LOCAL) {
            memo.bulkhead.enter(() -> compute(null));
        } else {
            look();
        }
    }

    private boolean claim(int mine) {
        return turn.compareAndSet(mine, mine + 1);
    }

    private void look() {
        changed = false;
        int mine = turn.incrementAndGet();
        memo.store.look(valueKey, (found, failure) -> {
            if (!claim(mine)) return;
            if (failure != null) {
                unavailable(failure);
            } else {
                judged(found);
            }
        });
    }

    /** Decides on what stands there; {@code found} is null where nothing usable does. */
    private void judged(StoreView.@Nullable Found found) {
        if (found == null) {
            looked = true;
            seen = Version.NONE;
            acquire();
        } else if (found.age() == StoreView.Age.USELESS) {
            looked = true;
            seen = found.entry().version();
            acquire();
        } else {
            user(caller -> {
                V value;
                try {
                    value = memo.decode(found);
                } catch (Exception undecodable) {
                    memo.undecodable(key, undecodable);
                    seen = found.entry().version();
                    acquire();
                    return;
                }
                decoded(found, value);
            });
        }
    }

    private void decoded(StoreView.Found found, @Nullable V value) {
        Version version = found.entry().version();
        boolean toReplace = id.mode() == Mode.REFRESH && (!looked || seen.equals(version));
        looked = true;
        if (found.age() == StoreView.Age.FRESH && !toReplace) {
            memo.store.keep(memo.nearKey(key), value, found);
            finish(value, followed ? Source.FOLLOWED : Source.STORE);
            return;
        }
        stale = new Stale<>(value, found.age() != StoreView.Age.REVALIDATE || memo.coversErrors(found));
        seen = version;
        if (found.age() == StoreView.Age.REVALIDATE && id.mode() == Mode.GET) {
            memo.store.keep(memo.nearKey(key), value, found);
            serve(new Stale<>(value, true));
        }
        acquire();
    }

    /** Answers everybody with the stale value; the flight goes on without them. */
    private void serve(Stale<V> value) {
        List<Caller<V>> answered;
        lock.lock();
        try {
            served = value;
            answered = new ArrayList<>(callers);
            callers.clear();
        } finally {
            lock.unlock();
        }
        answered.forEach(caller -> caller.complete(value.value(), Source.STALE));
    }

    private void acquire() {
        if (hints == null) register();
        asked = true;
        freed = false;
        int mine = turn.incrementAndGet();
        long[] sent = new long[1];
        Owner asking = owner;
        LeaseRequest request = LeaseRequest.of(lease, asking, memo.policy.lease())
                .withRetain(Duration.ZERO)
                .withUnless(new Unless(valueKey, seen))
                .withEvenIfQuiet(evenIfQuiet);
        Engine engine = memo.engine;
        engine.sendOnce("lead of " + memo.policy.name(), engine.within(engine.requestTimeout()), () -> {
                    sent[0] = engine.timer().nanoTime();
                    return engine.backend().acquire(request);
                })
                .whenComplete((answer, failure) -> {
                    if (!claim(mine)) {
                        if (!(answer instanceof Acquisition.Busy)) giveBack(asking);
                    } else if (failure != null) {
                        giveBack(asking);
                        unavailable(failure);
                    } else {
                        answered(answer, sent[0]);
                    }
                });
    }

    private void register() {
        Subscription value = memo.engine.hints().onChanged(valueKey, () -> {
            changed = true;
            wake(this::look);
        });
        Subscription free = memo.engine.hints().onFreed(lease, () -> {
            freed = true;
            wake(this::acquire);
        });
        hints = () -> {
            value.close();
            free.close();
        };
    }

    private void wake(Runnable next) {
        int mine = waiting;
        if (mine >= 0 && claim(mine)) next.run();
    }

    private void answered(Acquisition answer, long sentNanos) {
        if (answer instanceof Acquisition.Granted granted) {
            lead(granted, sentNanos);
        } else if (answer instanceof Acquisition.Found found) {
            memo.store.judge(found.entry(), found.now(), sentNanos, null, (judged, failure) -> {
                if (failure != null) unavailable(failure);
                else judged(judged);
            });
        } else if (answer instanceof Acquisition.Busy busy) {
            if (busy.holderToken() != 0) waitedFor = busy.holderToken();
            await(busy.remaining());
        } else if (answer instanceof Acquisition.Hushed hushed) {
            hushed(hushed);
        } else if (answer instanceof Acquisition.Ended) {
            owner = memo.engine.newOwner();
            acquire();
        } else {
            fail(new IllegalStateException(memo.describe(key) + " cannot be led: " + answer));
        }
    }

    private void hushed(Acquisition.Hushed hushed) {
        FailureNote note = FailureNote.decode(hushed.note()).orElse(null);
        boolean counts = note != null && (note.forEverybody() || (waitedFor != 0 && note.token() == waitedFor));
        if (counts && note != null) {
            failed(new LoadFailedException(
                    memo.describe(key) + " could not be computed by its leader: " + note.message(),
                    null,
                    note.types()));
        } else {
            evenIfQuiet = true;
            acquire();
        }
    }

    private void await(Duration remaining) {
        followed = true;
        tellDecided();
        if (!hasCallers()) { // a refresh in the background that another already does
            stop();
            return;
        }
        waits++;
        Duration pause = memo.pause(waits, remaining);
        if (pause == null) {
            everybodyExhausted();
            return;
        }
        int mine = turn.incrementAndGet();
        boolean polling = memo.polls();
        memo.engine.timer().after(pause, () -> {
            if (claim(mine)) {
                if (polling) look();
                else acquire();
            }
        });
        if (polling) return;
        waiting = mine;
        if (changed) wake(this::look);
        else if (freed) wake(this::acquire);
    }

    private void everybodyExhausted() {
        List<Caller<V>> all = detach();
        stop();
        all.forEach(this::exhausted);
    }

    private void lead(Acquisition.Granted granted, long sentNanos) {
        boolean wanted;
        lock.lock();
        try {
            wanted = !over;
            leads = wanted;
        } finally {
            lock.unlock();
        }
        if (!wanted) {
            giveBack(owner);
            return;
        }
        closeHints();
        compute(new Leading.Grant(owner, granted.tokens(), granted.now().micros(), sentNanos));
    }

    private void compute(Leading.@Nullable Grant grant) {
        lock.lock();
        try {
            leads = true;
        } finally {
            lock.unlock();
        }
        Stale<V> last = stale;
        Leading<K, V> computation = new Leading<>(this, grant, last == null ? null : last.value());
        leading = computation;
        computation.start();
    }

    /** The store does not serve: stale if allowed, else as the user chose. */
    private void unavailable(Throwable failure) {
        closeHints();
        if (failure instanceof ClosedException || failure instanceof IllegalArgumentException) {
            fail(failure);
            return;
        }
        Stale<V> last = stale != null ? stale : memo.fallback(key);
        if (last != null && last.onError()) {
            finish(last.value(), Source.STALE);
        } else if (memo.policy.whenUnavailable() == Fallback.COMPUTE) {
            List<Caller<V>> all = detach();
            stop();
            all.forEach(caller -> memo.computeLocally(key, id.name(), loading, caller));
        } else {
            fail(new BackendUnavailableException(
                    memo.describe(key) + " cannot be looked up (" + failure.getMessage()
                            + "), and whenUnavailable(COMPUTE) is not chosen",
                    failure));
        }
    }

    // ---- ends

    /** The attempt failed: the stale value where it may stand in, else the failure, for all who had joined. */
    void failed(LoadFailedException failure) {
        Stale<V> last = stale;
        if (last == null && !memo.policy.staleIfError().isZero()) last = memo.fallback(key);
        if (last != null && last.onError()) {
            finish(last.value(), Source.STALE);
        } else {
            fail(failure);
        }
    }

    void finish(@Nullable V value, Source source) {
        for (Caller<V> caller : close()) caller.complete(value, source);
    }

    void fail(Throwable failure) {
        for (Caller<V> caller : close()) caller.fail(failure);
    }

    /** Ends without an answer; nobody may be waiting. */
    private void stop() {
        List<Caller<V>> left = close();
        left.forEach(caller -> memo.enter(caller, key, id, loading, null));
    }

    /** Ends for new callers, though the thread of a present one may still compute. */
    void abandon() {
        lock.lock();
        try {
            over = true;
        } finally {
            lock.unlock();
        }
        List<Caller<V>> others = detach();
        memo.flights.remove(id, this);
        others.forEach(caller -> memo.enter(caller, key, id, loading, null));
    }

    private List<Caller<V>> close() {
        List<Caller<V>> all;
        lock.lock();
        try {
            over = true;
            all = new ArrayList<>(callers);
            callers.clear();
        } finally {
            lock.unlock();
        }
        end();
        return all;
    }

    private void end() {
        memo.flights.remove(id, this);
        closeHints();
        tellDecided();
    }

    private void closeHints() {
        Subscription open = hints;
        hints = null;
        waiting = -1;
        if (open != null) open.close();
    }

    private void tellDecided() {
        if (decided != null) decided.run();
    }

    private void giveUpPlace() {
        if (asked) giveBack(owner);
    }

    /** Frees what an answer that came late, or not at all, may have granted. */
    private void giveBack(Owner asking) {
        Engine engine = memo.engine;
        if (engine.isClosed()) return;
        engine.send(
                "return of a lead",
                engine.within(Durations.min(memo.policy.lease(), Duration.ofSeconds(10))),
                () -> engine.backend().commit(Commit.of(new Leave(lease, asking))));
    }

    @Override
    public String toString() {
        return id.mode() + " of " + memo.describe(key);
    }

    /** Ends with the Bellwether: callers are told, a lease is handed back. */
    CompletableFuture<?> shut() {
        turn.incrementAndGet();
        Leading<K, V> computation = leading;
        CompletableFuture<?> resigned =
                computation == null ? CompletableFuture.completedFuture(null) : computation.resign();
        if (computation == null) giveUpPlace();
        fail(memo.engine.closed());
        return resigned;
    }

    Deadline limit() {
        return memo.engine.within(memo.policy.atMost());
    }
}
