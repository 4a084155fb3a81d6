// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.lock;

import dev.bellwether.engine.Engine;
import dev.bellwether.lease.LockService;
import dev.bellwether.lock.AsyncLeaseLock;
import dev.bellwether.lock.Lease;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.testkit.sim.LockHistory;
import dev.bellwether.testkit.sim.SimProcess;
import dev.bellwether.testkit.sim.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/** Processes of one world that all want one lock, and what must never be seen of them. */
final class LockWorld {
    static final Duration TERM = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(60);
    private static final int PERMITS = 3;

    /** How the lock is used. */
    enum Use {
        EXCLUSIVE,
        FAIR,
        READ_WRITE,
        SEMAPHORE
    }

    /** One process: its engine, and those leases that its user code has and has not let go. */
    private static final class Member {
        final SimProcess process;
        final Engine engine;
        final LockService locks;
        int waiting;

        Member(SimProcess process, Engine engine) {
            this.process = process;
            this.engine = engine;
            this.locks = new LockService(engine);
        }
    }

    /** A lease in the hands of user code. */
    private record Held(Member member, Lease lease, boolean writes, LockHistory.Belief belief) {
        /** Whether user code that runs now would act under it. */
        boolean isBelieved() {
            return !member.process.hasCrashed() && lease.isHeld();
        }
    }

    private final SimWorld world;
    private final Use use;
    private final BiFunction<SimProcess, KvBackend, KvBackend> engineering;
    private final List<Member> members = new ArrayList<>();
    private final List<Held> held = new ArrayList<>();
    private final LockHistory history = new LockHistory();
    private long trustedFromNanos;
    private int granted;
    private boolean over;

    LockWorld(SimWorld world, Use use, BiFunction<SimProcess, KvBackend, KvBackend> engineering) {
        this.world = world;
        this.use = use;
        this.engineering = engineering;
    }

    static LockWorld of(SimWorld world, Use use) {
        return new LockWorld(world, use, (process, backend) -> backend);
    }

    /** A process whose users want the lock again and again. */
    LockWorld member(String name, int users) {
        SimProcess process = world.process(name);
        Engine engine = new Engine(
                engineering.apply(process, process.backend()),
                process.timer(),
                process.executor(),
                new Engine.Settings("sim", Duration.ofMillis(300), Duration.ofSeconds(1), name, null));
        Member member = new Member(process, engine);
        members.add(member);
        for (int i = 0; i < users; i++) process.execute(() -> want(member));
        return this;
    }

    private void want(Member member) {
        if (over) return;
        boolean writes = use != Use.READ_WRITE || world.random().nextInt(4) == 0;
        AsyncLeaseLock lock = lock(member, writes);
        Duration limit = Duration.ofMillis(50 + world.random().nextInt(3_000));
        CompletableFuture<Lease> wait = lock.acquire(limit);
        member.waiting++;
        if (world.random().nextInt(8) == 0) {
            var unused = member.process
                    .timer()
                    .after(Duration.ofMillis(world.random().nextInt(300)), () -> wait.cancel(false));
        }
        wait.whenComplete((lease, failure) -> {
            member.waiting--;
            if (lease == null) {
                later(member, () -> want(member));
            } else {
                have(member, lease, writes);
            }
        });
    }

    private AsyncLeaseLock lock(Member member, boolean writes) {
        return switch (use) {
            case EXCLUSIVE -> member.locks.exclusive("x").lease(TERM).async();
            case FAIR -> member.locks.exclusive("x").lease(TERM).fair().async();
            case READ_WRITE ->
                (writes ? member.locks.exclusive("x") : member.locks.shared("x"))
                        .lease(TERM)
                        .async();
            case SEMAPHORE -> member.locks.semaphore("x", PERMITS).lease(TERM).async();
        };
    }

    private void later(Member member, Runnable work) {
        if (over) return;
        var unused =
                member.process.timer().after(Duration.ofMillis(world.random().nextInt(200)), work);
    }

    private void have(Member member, Lease lease, boolean writes) {
        granted++;
        long from = world.nanos();
        Held mine = new Held(
                member, lease, writes, history.begins(member.process.name(), lease.fence(), from, end(member, lease)));
        held.add(mine);
        check();
        boolean longHold = world.random().nextInt(5) == 0;
        long length = world.random().nextInt(longHold ? 3_000 : 30);
        work(mine, world.nanos() + Duration.ofMillis(length).toNanos());
    }

    private static long end(Member member, Lease lease) {
        return member.process.trueNanosAt(
                member.process.timer().nanoTime() + lease.remaining().toNanos());
    }

    /** User code: looks at its lease now and then, and lets go at the end. */
    private void work(Held mine, long untilNanos) {
        check();
        if (mine.lease().isHeld()) mine.belief().renewed(end(mine.member(), mine.lease()));
        if (over || world.nanos() >= untilNanos || !mine.lease().isHeld()) {
            letGo(mine);
            return;
        }
        var unused = mine.member().process.timer().after(LOOK, () -> work(mine, untilNanos));
    }

    private void letGo(Held mine) {
        mine.belief().ended(world.nanos());
        held.remove(mine);
        CompletableFuture<Boolean> unused = lock(mine.member(), mine.writes()).release(mine.lease());
        check();
        later(mine.member(), () -> want(mine.member()));
    }

    /** Who would act now if it ran now: at any instant, whatever each process knows of the others. */
    private void check() {
        if (world.nanos() < trustedFromNanos) return;
        List<Held> believed = held.stream().filter(Held::isBelieved).toList();
        boolean allowed = switch (use) {
            case EXCLUSIVE, FAIR -> believed.size() <= 1;
            case READ_WRITE -> believed.size() <= 1 || believed.stream().noneMatch(Held::writes);
            case SEMAPHORE -> believed.size() <= PERMITS;
        };
        if (!allowed) throw new AssertionError("L1: " + use + " is held at once by " + describe(believed));
    }

    private static List<String> describe(List<Held> believed) {
        return believed.stream()
                .map(one -> one.member().process.name() + ":" + one.lease())
                .toList();
    }

    /** The store may have lost grants: what is believed is checked again once doubt has been settled. */
    LockWorld distrustFor(Duration length) {
        trustedFromNanos = Math.max(trustedFromNanos, world.nanos() + length.toNanos());
        return this;
    }

    /** Everybody lets go and wants no more. */
    void stop() {
        over = true;
    }

    int granted() {
        return granted;
    }

    /** L1 and L2 over the whole story, where one holds at a time. */
    void checkHistory() {
        if (use == Use.EXCLUSIVE || use == Use.FAIR) history.check();
    }

    /** L6: no wait, lease, request, hint or timer is left in any living process. */
    void checkNothingRemains() {
        for (Member member : members) {
            if (member.process.hasCrashed()) continue;
            int left = member.locks.size() + member.engine.hints().size() + member.waiting;
            if (left > 0) throw new AssertionError("L6: " + left + " things remain in " + member.process.name());
        }
    }

    /** L6: nobody holds and nobody waits in the store. */
    void checkStoreIsFree() {
        for (LeaseState state : world.look(new Inspection.Leases(Bytes.utf8("sim:k:"), 10, null))) {
            if (!state.holds().isEmpty() || state.waiting() > 0) {
                throw new AssertionError("L6: the store still has " + state);
            }
        }
    }
}
