// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Engine;
import dev.bellwether.lock.Election;
import dev.bellwether.lock.LeaseLock;
import dev.bellwether.lock.Locks;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest.Share;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Tokens;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The locks of one Bellwether, or of one colocated view of it. Thread-safe. Closing leaves engine and backend alone.
 */
public final class LockService implements Locks {
    private static final System.Logger LOG = System.getLogger("dev.bellwether.lock");

    /** What a lock of one holder, or of many readers, takes of its name. */
    static final Share EXCLUSIVE = new Share(Integer.MAX_VALUE, Integer.MAX_VALUE);

    static final Share SHARED = new Share(1, Integer.MAX_VALUE);

    private final Engine engine;
    private final Presence presence;
    private final Administration administration;
    private final ThreadHolds threadHolds = new ThreadHolds();
    private final ConcurrentHashMap<LineKey, LocalLine> lines = new ConcurrentHashMap<>();
    private final Set<HeldLease> held = ConcurrentHashMap.newKeySet();
    private final Set<Candidacy> candidacies = ConcurrentHashMap.newKeySet();
    private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public LockService(Engine engine) {
        this.engine = engine;
        this.presence = new Presence(engine);
        this.administration = new Administration(engine, presence);
    }

    @Override
    public LeaseLock exclusive(String name) {
        return lock(name, Kind.LOCK, EXCLUSIVE);
    }

    @Override
    public LeaseLock shared(String name) {
        return lock(name, Kind.LOCK, SHARED);
    }

    @Override
    public LeaseLock semaphore(String name, int permits) {
        if (permits < 1 || permits == Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "the semaphore " + name + " has " + permits + " permits; it must be 1 to 2,147,483,646");
        }
        return lock(name, Kind.SEMAPHORE, new Share(1, permits));
    }

    private LeaseLock lock(String name, Kind kind, Share share) {
        return new DefaultLeaseLock(
                this, new OneLock(this, name, kind.lease(engine, name), share), LockOptions.DEFAULT);
    }

    @Override
    public LeaseLock all(Collection<String> names) {
        TreeMap<Bytes, OneLock> sorted = new TreeMap<>();
        for (String name : names) {
            LeaseName lease = Kind.LOCK.lease(engine, name);
            sorted.put(lease.name(), new OneLock(this, name, lease, EXCLUSIVE));
        }
        if (sorted.isEmpty()) throw new IllegalArgumentException("all() names no lock; give it at least one");
        return new DefaultLeaseLock(this, new SeveralLocks(this, List.copyOf(sorted.values())), LockOptions.DEFAULT);
    }

    @Override
    public Election.Builder election(String name) {
        return new CandidacyBuilder(this, name, Kind.ELECTION.lease(engine, name));
    }

    @Override
    public List<Holder> holders(String prefix) {
        ensureOpen();
        return administration.holders(Objects.requireNonNull(prefix));
    }

    @Override
    public boolean breakLease(Holder seen) {
        ensureOpen();
        return administration.breakLease(seen);
    }

    Engine engine() {
        return engine;
    }

    Presence presence() {
        return presence;
    }

    Administration administration() {
        return administration;
    }

    ThreadHolds threadHolds() {
        return threadHolds;
    }

    boolean isClosed() {
        return closed || engine.isClosed();
    }

    void ensureOpen() {
        if (isClosed()) throw engine.closed();
    }

    /** How long a blocking act waits for the store's answer before it calls it unknown. */
    Deadline answerLimit() {
        return engine.within(engine.requestTimeout().multipliedBy(2));
    }

    /** Waits in the local line for it. */
    CompletableFuture<BoundLease> waitFor(LineKey key, LockOptions options, Duration maxWait) {
        long since = engine.timer().nanoTime();
        while (!isClosed()) {
            LocalLine line = line(key);
            Waiter waiter = new Waiter(line, options, maxWait, since);
            if (!line.enter(waiter)) continue;
            if (isClosed()) waiter.fail(engine.closed());
            return waiter.future();
        }
        return CompletableFuture.failedFuture(engine.closed());
    }

    private LocalLine line(LineKey key) {
        return lines.computeIfAbsent(key, absent -> new LocalLine(this, absent));
    }

    void retire(LocalLine line) {
        lines.remove(line.key(), line);
    }

    boolean isHeldHere(LineKey key) {
        LocalLine line = key.handsOn() ? lines.get(key) : null;
        return line != null && line.isHeldHere();
    }

    /** Makes a hold of what was granted without waiting. */
    Hold hold(LineKey key, Owner owner, Tokens tokens, long sentNanos, LockOptions options) {
        while (key.handsOn()) {
            LocalLine line = line(key);
            Hold hold = new Hold(this, key, line, owner, tokens, sentNanos, options);
            if (line.adopt(hold)) return hold;
        }
        return new Hold(this, key, null, owner, tokens, sentNanos, options);
    }

    void began(HeldLease lease) {
        held.add(lease);
    }

    void ended(BoundLease lease) {
        if (lease instanceof HeldLease single) held.remove(single);
    }

    /** Gives back the lock of a thread that has ended. */
    void reclaim(HeldLease lease) {
        LOG.log(
                System.Logger.Level.WARNING,
                "the thread that locked {0} has ended without unlocking it; it is given back",
                lease.name());
        threadHolds.forget(lease);
        lease.surrender();
    }

    void joined(Candidacy candidacy) {
        candidacies.add(candidacy);
        if (isClosed()) candidacy.close();
    }

    void withdrew(Candidacy candidacy) {
        candidacies.remove(candidacy);
    }

    /** Something that {@link #close} waits for. */
    @SuppressWarnings("CollectionUndefinedEquality") // each future is one act: identity is meant
    void track(CompletableFuture<?> act) {
        if (act.isDone()) return;
        underWay.add(act);
        act.whenComplete((done, failure) -> underWay.remove(act));
    }

    /**
     * Gives up a place, a grant or a hold, whichever the owner has, and insists until the store has answered.
     *
     * @param unanswered whether a request of this owner may still be on its way: then it is given up once more, later
     */
    void leave(LineKey key, Owner owner, boolean unanswered) {
        sendLeave(key, owner);
        if (unanswered && !isClosed()) {
            var unused = engine.timer().after(engine.requestTimeout().multipliedBy(2), () -> {
                if (!engine.isClosed()) sendLeave(key, owner);
            });
        }
    }

    private void sendLeave(LineKey key, Owner owner) {
        Commit commit = Commit.of(new Leave(key.lease(), owner));
        Duration whileItMatters = Durations.min(key.term().plusSeconds(5), Duration.ofSeconds(15));
        CompletableFuture<CommitReply> left = engine.send(
                "leave of " + key.label(),
                engine.within(whileItMatters),
                () -> engine.backend().commit(commit));
        track(left);
    }

    /**
     * Ends candidacies and waits, tells the holders, and gives back what is held: done when the store has confirmed it,
     * or no longer insisted upon. Idempotent; does not block.
     */
    public CompletableFuture<?> close() {
        if (closed) return CompletableFuture.completedFuture(null);
        closed = true;
        List<CompletableFuture<?>> over = new ArrayList<>();
        candidacies.forEach(candidacy -> over.add(candidacy.withdraw()));
        lines.values().forEach(line -> line.close(engine.closed()));
        lines.clear();
        held.forEach(lease -> over.add(lease.shut()));
        over.addAll(underWay);
        return CompletableFuture.allOf(over.toArray(CompletableFuture<?>[]::new))
                .handle((done, failure) -> true);
    }

    /** How much waits, asks, holds or is on its way: zero when nothing remains. */
    public int size() {
        return lines.size() + held.size() + candidacies.size() + underWay.size() + threadHolds.size();
    }
}
