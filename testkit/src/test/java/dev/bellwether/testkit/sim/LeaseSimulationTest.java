// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A lease client as small as can be, in worlds that are as bad as can be. */
final class LeaseSimulationTest {
    private static final LeaseName LEASE = LeaseName.of(Bytes.utf8("lease"));
    private static final Duration TTL = Duration.ofSeconds(3);
    private static final int SCHEDULES = 10_000;

    /** How a client reckons its deadline from the moment at which it sent the request. */
    private record Habit(double share, boolean fromTheReply) {}

    private static final Habit CAREFUL = new Habit(0.99, false);

    private static final class Client {
        private final SimWorld world;
        private final SimProcess process;
        private final LockHistory history;
        private final Habit habit;
        private final long processId;
        private long generation;
        private LockHistory.Belief belief;
        private long deadline;

        Client(SimWorld world, SimProcess process, LockHistory history, Habit habit) {
            this.world = world;
            this.process = process;
            this.history = history;
            this.habit = habit;
            this.processId = world.random().nextLong();
            this.belief = history.begins(process.name(), 0, 0, 0);
        }

        void begin() {
            generation++;
            acquire(new Owner(processId, generation), 0);
        }

        private void after(int millis, Runnable work) {
            var unused = process.timer().after(Duration.ofMillis(world.random().nextInt(millis)), work);
        }

        private long deadlineFor(long sentAt) {
            long from = habit.fromTheReply() ? process.timer().nanoTime() : sentAt;
            return from + (long) (TTL.toNanos() * habit.share());
        }

        private void acquire(Owner owner, int attempts) {
            LeaseRequest wish = LeaseRequest.of(LEASE, owner, TTL).withTokens(5);
            if (processId % 2 == 0) {
                Duration patience = processId % 4 == 0 ? Duration.ZERO : Duration.ofSeconds(1);
                wish = wish.withLine(new LeaseRequest.Line(Duration.ofSeconds(5), Duration.ofSeconds(2), patience));
            }
            long sentAt = process.timer().nanoTime();
            var unused = process.backend().acquire(wish).whenComplete((reply, failure) -> {
                if (reply instanceof Acquisition.Granted granted) enter(owner, granted, deadlineFor(sentAt));
                else if (reply instanceof Acquisition.Ended || attempts > 20) begin();
                else after(500, () -> acquire(owner, attempts + 1));
            });
        }

        private void enter(Owner owner, Acquisition.Granted granted, long until) {
            if (until - process.timer().nanoTime() <= 0) {
                leave(owner);
                return;
            }
            deadline = until;
            belief = history.begins(
                    process.name(), granted.tokens().first(), world.nanos(), process.trueNanosAt(deadline));
            after(1_000, () -> renew(owner));
            after(6_000, () -> leave(owner));
        }

        private void renew(Owner owner) {
            if (owner.counter() != generation || deadline - process.timer().nanoTime() <= 0) return;
            long sentAt = process.timer().nanoTime();
            var unused = process.backend()
                    .commit(Commit.of(new Renew(LEASE, owner, TTL, null)))
                    .whenComplete((reply, failure) -> {
                        if (owner.counter() != generation
                                || deadline - process.timer().nanoTime() <= 0) return;
                        if (reply instanceof CommitReply.Conflict) belief.ended(world.nanos());
                        else if (reply != null) extend(deadlineFor(sentAt));
                        if (reply == null || reply instanceof CommitReply.Committed) after(1_000, () -> renew(owner));
                    });
        }

        private void extend(long until) {
            if (until - deadline <= 0) return;
            deadline = until;
            belief.renewed(process.trueNanosAt(until));
        }

        private void leave(Owner owner) {
            belief.ended(world.nanos());
            generation++;
            boolean gently = world.random().nextBoolean();
            Commit end = Commit.of(gently ? new Leave(LEASE, owner) : new Release(LEASE, owner, Quiet.NONE));
            var unused = process.backend().commit(end);
            after(2_000, this::begin);
        }

        void crash() {
            belief.ended(world.nanos());
            process.crash();
            Client next = new Client(world, world.process(process.name()), history, habit);
            next.process.execute(next::begin);
        }
    }

    private static LockHistory play(SimWorld world, Habit habit) {
        LockHistory history = new LockHistory();
        for (String name : List.of("A", "B", "C")) {
            Client client = new Client(world, world.process(name), history, habit);
            client.process.execute(client::begin);
            if (world.random().nextInt(3) == 0) {
                world.after(Duration.ofMillis(world.random().nextInt(20_000)), client::crash);
            }
        }
        if (world.random().nextInt(4) == 0) {
            world.after(Duration.ofSeconds(10), () -> world.stepStoreClock(Duration.ofSeconds(-7)));
        }
        world.run(Duration.ofSeconds(25));
        history.check();
        return history;
    }

    @Test
    void l1AndL2HoldForAMinimalClientUnderWildFaults() {
        long[] beliefs = {0};
        var explored = Simulations.explore(SCHEDULES, 1, Faults.wild(), world -> {
            beliefs[0] += play(world, CAREFUL).size();
        });
        System.out.printf("leases: %.0f schedules per second%n", explored.perSecond());
        assertThat(beliefs[0]).isGreaterThan(SCHEDULES);
    }

    @Test
    void l1_aClientThatCountsFromTheReplyIsCaught() {
        assertThatThrownBy(() ->
                        Simulations.explore(2_000, 1, Faults.wild(), world -> play(world, new Habit(0.99, true))))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("L1");
    }

    @Test
    void l1_aClientThatTrustsItsClockTooMuchIsCaught() {
        assertThatThrownBy(() ->
                        Simulations.explore(2_000, 1, Faults.wild(), world -> play(world, new Habit(1.01, false))))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("L1");
    }

    @Test
    void l1_aStoreClockThatStepsForwardBreaksTheAssumptionAndIsSeen() {
        assertThatThrownBy(() -> Simulations.explore(2_000, 1, Faults.none(), world -> {
                    world.after(Duration.ofSeconds(7), () -> world.stepStoreClock(TTL));
                    LockHistory unused = play(world, CAREFUL);
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("L1");
    }
}
