// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.memo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.testkit.memo.MemoWorld.Profile;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The laws M1 to M6 on simulated schedules. A failing one prints its seed, which replays it. So many of each kind are run
 * as {@code -Dbellwether.schedules} says.
 */
class MemoSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("bellwether.schedules", 300);
    private static final Duration TTL = Duration.ofMillis(2_500);

    static void run(String law, Profile profile) {
        for (long seed = 1; seed <= SCHEDULES; seed++) run(law, profile, seed);
    }

    static void run(String law, Profile profile, long seed) {
        try {
            new MemoWorld(seed, profile, store -> store).run();
        } catch (AssertionError | RuntimeException broken) {
            throw new AssertionError(law + " is broken by seed " + seed + ": " + broken.getMessage(), broken);
        }
    }

    @Test
    void oneComputationPerStoredValueWhileNothingFailsM1() {
        run("M1", new Profile(0, 0, 0, 0, 0, 0, 0, 0, true, TTL, SimLink.Faults.NONE));
    }

    @Test
    void oneComputationPerAttemptWhereLoadersFailM1M4() {
        run("M1, M4", new Profile(0, 0, 0, 0, 0, 0, 300, 0, false, TTL, SimLink.Faults.NONE));
    }

    @Test
    void nothingComputedBeforeAnInvalidationIsStoredOrServedAfterItM2M6() {
        run("M2, M6", new Profile(150, 30, 60, 0, 0, 0, 50, 0, true, TTL, SimLink.Faults.NONE));
    }

    @Test
    void crashesPausesAndHangingLoadersBlockNobodyForLongM4M5() {
        run("M4, M5", new Profile(60, 10, 20, 10, 25, 40, 100, 60, true, TTL, SimLink.Faults.NONE));
    }

    @Test
    void lostRepliesRequestsAndHintsBreakNoLawM2M5() {
        run("M2, M5", new Profile(120, 20, 40, 0, 10, 20, 50, 20, false, TTL, new SimLink.Faults(15, 15, 200, 0)));
    }

    @Test
    void requestsThatArriveTwiceBreakNoLawM2() {
        run(
                "M2 under repetition",
                new Profile(150, 0, 0, 0, 0, 0, 50, 0, false, TTL, new SimLink.Faults(0, 5, 0, 150)));
        assertThat(SCHEDULES).isPositive();
    }
}
