// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import dev.bellwether.time.Timer;

/** Runs a scenario in many worlds. */
public final class Simulations {
    private Simulations() {}

    /** What happens in one world; it fails by throwing. */
    @FunctionalInterface
    public interface Scenario {
        void play(SimWorld world) throws Exception;
    }

    /** How many worlds were seen, and how fast. */
    public record Exploration(int schedules, double perSecond) {}

    /**
     * Plays the scenario in one world for each seed from the first on.
     *
     * @throws AssertionError at the first world that fails, with its seed and its last events
     */
    public static Exploration explore(int count, long firstSeed, Faults faults, Scenario scenario) {
        long start = Timer.system().nanoTime();
        for (long seed = firstSeed; seed < firstSeed + count; seed++) replay(seed, faults, scenario);
        double seconds = Math.max(1, Timer.system().nanoTime() - start) / 1e9;
        return new Exploration(count, count / seconds);
    }

    /** As {@link #explore(int, long, Faults, Scenario)} with mild faults. */
    public static Exploration explore(int count, long firstSeed, Scenario scenario) {
        return explore(count, firstSeed, Faults.mild(), scenario);
    }

    /** Plays the scenario in the world of one seed. */
    public static void replay(long seed, Faults faults, Scenario scenario) {
        SimWorld world = new SimWorld(seed, faults);
        try {
            scenario.play(world);
        } catch (Throwable failure) {
            throw world.failure("the scenario failed: " + failure, failure);
        }
    }
}
