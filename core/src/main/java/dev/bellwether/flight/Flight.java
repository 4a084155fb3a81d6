// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.engine.Engine;
import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.LoadFailedException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.flight.Callers.Joining;
import dev.bellwether.flight.Callers.Leaving;
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
import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
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
     *
     * An invalidation that this process acknowledges seals the flight, so that no later caller is given what was read
     * or computed before it. Of one that happened elsewhere the fence tells, when the fill is refused: then those who
     * came after the computation had begun start anew.
     */
    enum Mode {
        GET,
        /** Computes though a fresh value stands there. */
        REFRESH,
        /** Computes without the store. */
        LOCAL
    }

    record FlightId(Bytes name, Mode mode) {}

    final Memo<K, V> memo;
    final K key;
    final FlightId id;
    final KvKey valueKey;
    final LeaseName lease;
    final Loading<K, V> loading;

    /** What the thread that computes this flight waits for, to find circles. */
    volatile List<? extends Flight<?, ?>> waitsFor = List.of();

    private final @Nullable Runnable decided;
    private final Callers<V> callers = new Callers<>();
    private final AtomicInteger turn = new AtomicInteger();
    private volatile int waiting = -1;
    private volatile boolean changed;
    private volatile boolean freed;
    private volatile @Nullable Subscription hints;
    private volatile @Nullable Scheduled pause;
    private volatile boolean asking;
    private volatile Owner owner;
    private volatile Version seen = Version.NONE;
    private volatile @Nullable Stale<V> stale;
    private volatile long waitedFor;
    private volatile boolean evenIfQuiet;
    private volatile boolean followed;
    private volatile boolean looked;
    private volatile @Nullable Leading<K, V> leading;
    private int waits;

    /** @param decided run once it is known whether this flight computes, perhaps again later; null if nobody asks */
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

    /** False if the flight takes nobody any more. */
    boolean join(Caller<V> caller) {
        Joining joining = callers.join(caller, now());
        if (joining == Joining.REFUSED) return false;
        Stale<V> served = joining == Joining.SERVED ? callers.served() : null;
        if (joining == Joining.SERVED) {
            if (served == null) return false; // sealed in between
            caller.complete(served.value(), Source.STALE);
            return true;
        }
        caller.waitsIn(this, memo.engine.timer().after(caller.deadline.remaining(), () -> atDeadline(caller)));
        return true;
    }

    /** The caller waits no more; true if it was waiting here. */
    boolean leave(Caller<V> caller) {
        Leaving leaving = callers.leave(caller);
        if (leaving == Leaving.LEFT_LAST) {
            turn.incrementAndGet(); // who is asking for the lease finds the turn gone, and gives back what it gets
            end();
        }
        return leaving != Leaving.WAS_NOT_HERE;
    }

    private void atDeadline(Caller<V> caller) {
        if (caller.leads) return; // it waits for nobody else
        if (id.mode() == Mode.LOCAL) {
            if (leave(caller)) exhausted(caller);
        } else if (!callers.postpone(caller) && leave(caller)) {
            memo.lastLook(this, caller, () -> exhausted(caller));
        }
    }

    /** Whether what stands there is an answer, and not just what is to be replaced. */
    boolean answers(StoreView.Found found) {
        return id.mode() != Mode.REFRESH || !seen.equals(found.entry().version());
    }

    private void exhausted(Caller<V> caller) {
        Fallback fallback = memo.policy.whenExhausted();
        Stale<V> last = stale;
        if (id.mode() == Mode.LOCAL) {
            caller.fail(memo.crowded(key, callers.isLeading(), caller.unavailable));
        } else if (fallback == Fallback.STALE && id.mode() == Mode.GET && last != null && last.standsIn(now())) {
            caller.complete(last.value(), Source.STALE);
        } else if (fallback == Fallback.COMPUTE) {
            memo.computeLocally(key, id.name(), loading, caller, null);
        } else {
            caller.fail(new WaitTimeoutException(
                    memo.describe(key) + " is still being computed"
                            + (callers.isLeading() ? "" : " by another process") + " after "
                            + memo.policy.maxWait().toMillis()
                            + " ms; raise maxWait, choose whenExhausted(COMPUTE), or allow staleIfError",
                    null));
        }
    }

    boolean hasCallers() {
        return !callers.isEmpty();
    }

    /** Takes nobody any more, so that nobody is given what was read before an invalidation that went before the call. */
    void seal() {
        callers.seal();
        memo.flights.remove(id, this);
    }

    /** As {@link #seal} where callers would share what is known already; who only waits looks again anyway. */
    void doubt() {
        if (callers.servesOrLeads()) seal();
    }

    // ---- user code

    /**
     * Runs user code on the thread of a blocked caller, else on the executor.
     *
     * @param leading whether it is the computation: then somebody's deadline does not count any more
     * @param work gets the caller whose thread it runs on, null on the executor
     */
    void user(boolean leading, Consumer<@Nullable Caller<V>> work, Consumer<Throwable> refused) {
        List<Caller<V>> present = callers.present();
        for (Caller<V> caller : present) {
            Mailbox mailbox = caller.mailbox;
            if (mailbox == null) continue;
            if (leading) caller.leads = true;
            if (mailbox.offer(() -> work.accept(Mailbox.current() == mailbox ? caller : null))) return;
            if (leading) caller.leads = false;
        }
        if (leading && !present.isEmpty()) present.get(0).leads = true;
        try {
            memo.engine.executor().execute(() -> work.accept(null));
        } catch (RejectedExecutionException full) {
            refused.accept(new BellwetherException(
                    "the executor refused to run the loader of " + memo.describe(key) + "; give it more room", full));
        }
    }

    // ---- the flow

    void start() {
        if (id.mode() == Mode.LOCAL) {
            memo.bulkhead.enter(() -> {
                if (!compute(null)) memo.bulkhead.leave();
            });
        } else {
            look();
        }
    }

    /** Begins with what this process has seen already, to replace it. */
    void startFrom(Version version, Stale<V> value) {
        looked = true;
        seen = version;
        stale = value;
        acquire();
    }

    private long now() {
        return memo.engine.timer().nanoTime();
    }

    private boolean claim(int mine) {
        return turn.compareAndSet(mine, mine + 1);
    }

    private void look() {
        changed = false;
        int mine = turn.incrementAndGet();
        memo.store.look(
                valueKey,
                (found, failure) -> guarded(() -> {
                    if (!claim(mine)) return;
                    if (failure != null) {
                        unavailable(failure);
                    } else {
                        judged(found);
                    }
                }));
    }

    /** A defect here must not leave callers waiting for a flight that nobody moves. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error defect) {
            fail(new BellwetherException(memo.describe(key) + ": " + Failures.describe(defect), defect));
            throw defect;
        }
    }

    /** Decides on what stands there; {@code found} is null where nothing usable does. */
    private void judged(StoreView.@Nullable Found found) {
        if (found == null || found.age() == StoreView.Age.USELESS) {
            looked = true;
            seen = found == null ? Version.NONE : found.entry().version();
            acquire();
            return;
        }
        user(
                false,
                caller -> guarded(() -> {
                    V value;
                    try {
                        value = memo.decode(found);
                    } catch (Exception undecodable) {
                        memo.undecodable(key, undecodable);
                        looked = true;
                        seen = found.entry().version();
                        acquire();
                        return;
                    }
                    decoded(found, value);
                }),
                this::fail);
    }

    private void decoded(StoreView.Found found, @Nullable V value) {
        Version version = found.entry().version();
        boolean toReplace = id.mode() == Mode.REFRESH && (!looked || seen.equals(version));
        looked = true;
        if (found.age() == StoreView.Age.FRESH && !toReplace) {
            memo.store.keep(memo.nearKey(key), value, found);
            finish(value, followed ? Source.FOLLOWED : Source.STORE);
            memo.perhapsRefresh(key, found, value, loading);
            return;
        }
        stale = memo.store.stale(value, found);
        seen = version;
        if (found.age() == StoreView.Age.REVALIDATE && id.mode() == Mode.GET) {
            memo.store.keep(memo.nearKey(key), value, found);
            Stale<V> served = memo.store.stale(value, found);
            for (Caller<V> caller : callers.serve(served)) caller.complete(value, Source.STALE);
        }
        acquire();
    }

    private void acquire() {
        if (callers.isOver()) {
            end();
            return;
        }
        if (hints == null) register();
        freed = false;
        int mine = turn.incrementAndGet();
        long[] sent = new long[1];
        Owner mineAsking = owner;
        LeaseRequest request = LeaseRequest.of(lease, mineAsking, memo.policy.lease())
                .withRetain(Duration.ZERO)
                .withUnless(new Unless(valueKey, seen))
                .withEvenIfQuiet(evenIfQuiet);
        Engine engine = memo.engine;
        asking = true;
        engine.sendOnce("lead of " + memo.policy.name(), engine.within(engine.requestTimeout()), () -> {
                    sent[0] = engine.timer().nanoTime();
                    return engine.backend().acquire(request);
                })
                .whenComplete((answer, failure) -> guarded(() -> {
                    if (!claim(mine)) {
                        if (!(answer instanceof Acquisition.Busy)) giveBack(mineAsking);
                        return;
                    }
                    asking = false;
                    if (failure != null) {
                        giveBack(mineAsking);
                        unavailable(Failures.unwrap(failure));
                    } else {
                        answered(answer, sent[0]);
                    }
                }));
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
        if (mine < 0 || !claim(mine)) return;
        stopPausing();
        guarded(next);
    }

    private void stopPausing() {
        Scheduled waits = pause;
        pause = null;
        if (waits != null) waits.cancel();
    }

    private void answered(Acquisition answer, long sentNanos) {
        if (answer instanceof Acquisition.Granted granted) {
            lead(granted, sentNanos);
        } else if (answer instanceof Acquisition.Found found) {
            if (callers.isEmpty()) { // for the near cache it must be read with a hint armed
                look();
                return;
            }
            memo.store.judge(
                    found.entry(),
                    found.now(),
                    sentNanos,
                    null,
                    (judged, failure) -> guarded(() -> {
                        if (failure != null) unavailable(failure);
                        else judged(judged);
                    }));
        } else if (answer instanceof Acquisition.Busy busy) {
            if (busy.holderToken() != 0) waitedFor = busy.holderToken();
            evenIfQuiet = false;
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
        if (callers.isEmpty()) { // a renewal in the background has time until the quiet is over
            stop();
            return;
        }
        FailureNote note = FailureNote.decode(hushed.note()).orElse(null);
        boolean counts = note != null && (note.forEverybody() || (waitedFor != 0 && note.token() == waitedFor));
        if (note != null && counts) {
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
        waits++;
        for (Caller<V> caller : callers.spent(memo.attempts())) exhausted(caller);
        if (callers.isEmpty()) { // nobody waits: what another computes is stored without us
            stop();
            return;
        }
        boolean polling = memo.polls();
        int mine = turn.incrementAndGet();
        pause = memo.engine.timer().after(memo.pause(waits, remaining), () -> {
            if (claim(mine)) guarded(polling ? this::look : this::acquire);
        });
        if (!polling) {
            waiting = mine;
            if (changed) wake(this::look);
            else if (freed) wake(this::acquire);
        }
        if (callers.isOver()) stopPausing();
    }

    private void lead(Acquisition.Granted granted, long sentNanos) {
        closeHints();
        if (!compute(new Leading.Grant(owner, granted.tokens(), sentNanos))) {
            giveBack(owner);
            end();
        }
    }

    /** False if the flight is over. */
    private boolean compute(Leading.@Nullable Grant grant) {
        if (!callers.lead()) return false;
        Stale<V> last = stale;
        Leading<K, V> computation = new Leading<>(this, grant, last == null ? null : last.value());
        leading = computation;
        computation.start();
        for (Caller<V> caller : callers.overdue()) exhausted(caller);
        return true;
    }

    /** The store does not serve: stale if allowed, else as the user chose. */
    private void unavailable(Throwable failure) {
        closeHints();
        if (failure instanceof ClosedException || failure instanceof IllegalArgumentException) {
            fail(failure);
            return;
        }
        Fallback fallback = memo.policy.whenUnavailable();
        Stale<V> last = fallback == Fallback.FAIL ? null : standIn();
        if (last != null) {
            finish(last.value(), Source.STALE);
        } else if (fallback == Fallback.COMPUTE) {
            List<Caller<V>> all = callers.close();
            end();
            for (Caller<V> caller : all) memo.computeLocally(key, id.name(), loading, caller, failure);
        } else {
            fail(new BackendUnavailableException(
                    memo.describe(key) + " cannot be looked up (" + failure.getMessage() + ")"
                            + (fallback == Fallback.STALE ? ", and there is no value young enough to stand in" : "")
                            + "; whenUnavailable(COMPUTE) would compute it here",
                    failure));
        }
    }

    /** The value that may stand in for a better one; a refresh has none, since it is asked to replace it. */
    private @Nullable Stale<V> standIn() {
        if (id.mode() == Mode.REFRESH) return null;
        Stale<V> last = stale != null ? stale : memo.fallback(key);
        return last != null && last.standsIn(now()) ? last : null;
    }

    // ---- ends

    /** The attempt failed: the stale value where it may stand in, else the failure, for all who had joined. */
    void failed(LoadFailedException failure) {
        Stale<V> last = memo.policy.staleIfError().isZero() ? null : standIn();
        if (last != null) {
            finish(last.value(), Source.STALE);
        } else {
            fail(failure);
        }
    }

    void finish(@Nullable V value, Source source) {
        List<Caller<V>> all = callers.close();
        end();
        for (Caller<V> caller : all) caller.complete(value, source);
    }

    /** Answers those who were there before the computation began; for the others something may have happened since. */
    void finishOvertaken(@Nullable V value) {
        List<Caller<V>> all = callers.close();
        end();
        for (Caller<V> caller : all) {
            if (caller.late && !caller.computing) again(caller);
            else caller.complete(value, Source.LED);
        }
    }

    void fail(Throwable failure) {
        List<Caller<V>> all = callers.close();
        end();
        for (Caller<V> caller : all) caller.fail(failure);
    }

    /** Ends without an answer; who waits begins anew. */
    void stop() {
        List<Caller<V>> left = callers.close();
        end();
        left.forEach(this::again);
    }

    /** Ends for new callers, though the thread of a present one may still compute. */
    void abandon() {
        List<Caller<V>> others = callers.abandon();
        end();
        others.forEach(this::again);
    }

    private void again(Caller<V> caller) {
        memo.enter(caller, key, id, loading, null);
    }

    private void end() {
        memo.flights.remove(id, this);
        closeHints();
        stopPausing();
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

    /** Frees what an answer that came late, or not at all, may have granted. */
    void giveBack(Owner asking) {
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
        if (computation == null && asking) giveBack(owner);
        fail(memo.engine.closed());
        return resigned;
    }

    Deadline limit() {
        return memo.engine.within(memo.policy.atMost());
    }
}
