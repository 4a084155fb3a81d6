// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.testkit.lock.LockWorld.Use;
import dev.bellwether.testkit.sim.Faults;
import dev.bellwether.testkit.sim.SimWorld;
import dev.bellwether.testkit.sim.Simulations;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** More than 10,000 schedules: every fault of a network, of processes and of a store, under the laws of locks. */
class LockSimulationsTest {
    private static final Duration LENGTH = Duration.ofSeconds(2);

    private static LockWorld three(SimWorld world, Use use) {
        return LockWorld.of(world, use).member("A", 2).member("B", 2).member("C", 1);
    }

    @ParameterizedTest
    @EnumSource(Use.class)
    void noScheduleOfAWildDayLetsTwoHoldAtOnceL1L2(Use use) {
        AtomicLong granted = new AtomicLong();
        Simulations.explore(1_400, 1, Faults.wild(), world -> {
            LockWorld locks = three(world, use);
            world.after(
                    Duration.ofMillis(world.random().nextInt(1_800)),
                    () -> world.process("B").crash());
            world.run(LENGTH);
            locks.checkHistory();
            granted.addAndGet(locks.granted());
        });
        assertThat(granted.get()).as("grants seen").isGreaterThan(2_000);
    }

    @ParameterizedTest
    @EnumSource(Use.class)
    void aStoreWhoseClockStepsBackLetsNoTwoHoldAtOnceL1L2(Use use) {
        Simulations.explore(500, 10_001, Faults.mild(), world -> {
            LockWorld locks = three(world, use);
            for (int i = 0; i < 3; i++) {
                world.after(
                        Duration.ofMillis(world.random().nextInt(1_800)),
                        () -> world.stepStoreClock(
                                Duration.ofMillis(-world.random().nextInt(60_000))));
            }
            world.run(LENGTH);
            locks.checkHistory();
        });
    }

    @ParameterizedTest
    @EnumSource(Use.class)
    void afterAStoreForgotTheDoubtIsSettledWithinATermL4(Use use) {
        Simulations.explore(250, 20_001, Faults.mild(), world -> {
            LockWorld locks = three(world, use);
            world.after(Duration.ofMillis(300 + world.random().nextInt(500)), () -> {
                locks.distrustFor(LockWorld.TERM.multipliedBy(2));
                if (world.random().nextBoolean()) world.flushStore();
                else world.loseRecentWrites(Duration.ofMillis(world.random().nextInt(500)));
            });
            world.run(LENGTH.plusSeconds(2));
        });
    }

    @ParameterizedTest
    @EnumSource(Use.class)
    void whoLetsGoLeavesNothingBehindL6(Use use) {
        Faults slow = Faults.builder()
                .slow(0.1, Duration.ofMillis(250))
                .hints(0.2, 0.1, 0.05)
                .clocks(0.002, Duration.ofMillis(2))
                .build();
        Simulations.explore(350, 30_001, slow, world -> {
            LockWorld locks = three(world, use);
            world.run(Duration.ofSeconds(2));
            locks.stop();
            world.run(Duration.ofSeconds(5)); // longer than any wait, shorter than a place in line or two terms
            locks.checkNothingRemains();
            locks.checkStoreIsFree();
            locks.checkHistory();
        });
    }

    @ParameterizedTest
    @EnumSource(Use.class)
    void whateverHappenedTheLockIsFreeAgainSoonL5L6(Use use) {
        Simulations.explore(150, 40_001, Faults.wild(), world -> {
            LockWorld locks = three(world, use);
            world.after(Duration.ofSeconds(1), () -> world.process("A").crash());
            world.run(Duration.ofSeconds(2));
            locks.stop();
            world.run(Duration.ofSeconds(60));
            locks.checkNothingRemains();
            locks.checkStoreIsFree();
        });
    }
}
