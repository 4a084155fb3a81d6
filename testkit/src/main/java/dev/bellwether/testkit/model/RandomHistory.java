// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.Power;
import dev.bellwether.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Random requests, sent to a backend and to the model side by side, whose answers must agree.
 *
 * <pre>{@code
 * RandomHistory.of(seed).steps(500).compare(time -> new MemoryBackend(time));   // shrinks what fails
 * RandomHistory.of(seed).steps(500).compare(backend, time);                     // one shared, manual clock
 * RandomHistory.of(seed).steps(500).compareRelaxed(backend, length -> waitAtLeast(length));
 * }</pre>
 *
 * <p>A history is a function of its seed and its settings: the same ones replay it. Immutable; each comparison starts
 * afresh and needs an empty store.
 */
public final class RandomHistory {
    /*
     * Numbers chosen by the store
     * ---------------------------
     * Versions, tokens and message ids are renamed: the first time that both sides answer one, the pair is learned, and
     * from then on it must stay a pair and keep its order under its name. Requests are made up in the words of the model
     * and translated. Each step draws from a random source of its own, so that leaving out steps while shrinking does not
     * reshuffle the rest.
     *
     * Clocks that are not shared
     * --------------------------
     * Without a common clock no length may end between the two sides' looks at it. So there are only lengths far longer
     * than the steps between two pauses, and pauses far longer than the short ones (SHORT, PAUSE, LONG), and
     * each step lets a little time pass so that both sides see different milliseconds.
     */

    static final Duration SHORT = Duration.ofSeconds(2);
    static final Duration LONG = Duration.ofDays(2);
    private static final Duration PAUSE = Duration.ofSeconds(3);
    private static final Duration BREATH = Duration.ofMillis(2);

    /** More replays while shrinking would take longer than reading what is left. */
    private static final int MOST_REPLAYS = 400;

    /** Which verbs a history uses. */
    public enum Part {
        ENTRIES,
        LEASES,
        QUEUES
    }

    /** Lets at least this much time pass for the backend. */
    @FunctionalInterface
    public interface Passing {
        void pass(Duration length);
    }

    private final long seed;
    private final int steps;
    private final Set<Part> parts;

    private RandomHistory(long seed, int steps, Set<Part> parts) {
        this.seed = seed;
        this.steps = steps;
        this.parts = parts;
    }

    /** 500 steps that use everything. */
    public static RandomHistory of(long seed) {
        return new RandomHistory(seed, 500, EnumSet.allOf(Part.class));
    }

    public RandomHistory steps(int steps) {
        return new RandomHistory(seed, steps, parts);
    }

    /** Uses only these. */
    public RandomHistory only(Part first, Part... others) {
        return new RandomHistory(seed, steps, EnumSet.of(first, others));
    }

    /**
     * Compares an empty backend that takes this time as its clock.
     *
     * @throws AssertionError at the first answer that the model would not give, with the seed and the end of the history
     */
    public void compare(KvBackend backend, ManualTime time) {
        HistoryRun run = run(backend, time, time::advance, true);
        String failure = run.failure(all());
        if (failure != null) throw new AssertionError(report(failure, run.tail()));
    }

    /**
     * As above; what fails is sent again to fresh backends with ever fewer steps, to show the shortest history found.
     *
     * @param fresh makes an empty backend whose clock is the given time
     */
    public void compare(Function<ManualTime, KvBackend> fresh) {
        String failure = failure(fresh, all());
        if (failure == null) return;
        List<Integer> least = shrink(fresh, all());
        HistoryRun last = start(fresh);
        String shrunk = last.failure(least);
        throw new AssertionError(report(shrunk == null ? failure : shrunk, last.tail()));
    }

    /**
     * Compares an empty backend with a clock of its own: remaining lengths and moments are ignored, everything else
     * must agree.
     *
     * @param passing usually waits; it is asked for two milliseconds before each step and, in one of two hundred steps,
     *     for three seconds
     */
    public void compareRelaxed(KvBackend backend, Passing passing) {
        ManualTime time = new ManualTime();
        HistoryRun run = run(
                backend,
                time,
                length -> {
                    time.advance(length);
                    passing.pass(length);
                },
                false);
        String failure = run.failure(all());
        if (failure != null) throw new AssertionError(report(failure, run.tail()));
    }

    private HistoryRun start(Function<ManualTime, KvBackend> fresh) {
        ManualTime time = new ManualTime();
        return run(fresh.apply(time), time, time::advance, true);
    }

    private HistoryRun run(KvBackend backend, ManualTime time, Passing passing, boolean exact) {
        Known known = new Known();
        boolean ranges = backend.capabilities().can(Power.ORDERED_SCAN);
        boolean crossing = backend.capabilities().can(Power.CROSS_PARTITION);
        Repertoire repertoire = new Repertoire(known, parts, ranges, crossing, exact);
        return new HistoryRun(seed, backend, time, passing, exact, known, repertoire);
    }

    private List<Integer> all() {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < steps; i++) all.add(i);
        return all;
    }

    private @Nullable String failure(Function<ManualTime, KvBackend> fresh, List<Integer> some) {
        return start(fresh).failure(some);
    }

    private List<Integer> shrink(Function<ManualTime, KvBackend> fresh, List<Integer> failing) {
        List<Integer> least = failing;
        int replays = 0;
        for (int chunk = Math.max(1, least.size() / 2); chunk >= 1; chunk /= 2) {
            for (int at = 0; at < least.size() && replays < MOST_REPLAYS; replays++) {
                List<Integer> fewer = new ArrayList<>(least);
                fewer.subList(at, Math.min(at + chunk, fewer.size())).clear();
                if (failure(fresh, fewer) != null) least = fewer;
                else at += chunk;
            }
        }
        return least;
    }

    private String report(String failure, List<String> tail) {
        return "RandomHistory.of(" + seed + "L).steps(" + steps + ").only(" + parts + ") differs from the model at "
                + failure + "\n  history:\n    " + String.join("\n    ", tail);
    }

    static boolean isPause(Random random) {
        return random.nextInt(200) == 0;
    }

    static Duration pause(boolean pause) {
        return pause ? PAUSE : BREATH;
    }
}
