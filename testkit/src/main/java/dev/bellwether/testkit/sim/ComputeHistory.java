// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was computed, stored, invalidated and seen under a memoizer's keys: checks M1 and M2.
 *
 * <p>The loader asks {@link #begins} for a number and puts it into the value, so that whoever sees a value knows which
 * compute made it. Moments are true nanoseconds of one clock. Not thread-safe.
 */
public final class ComputeHistory {
    private enum End {
        RUNNING,
        STORED,
        FAILED,
        /** Finished, and refused or lost. */
        NOT_STORED
    }

    private static final class Compute {
        final String key;
        final long from;
        End end = End.RUNNING;

        Compute(String key, long from) {
            this.key = key;
            this.from = from;
        }

        @Override
        public String toString() {
            return "compute of " + key + " begun at " + from + ", " + end;
        }
    }

    private record Sight(String key, long number, long askedAt) {}

    /** One call to invalidate. */
    public static final class Invalidation {
        private final String key;
        private final long calledAt;
        private @Nullable Long knownAt;

        private Invalidation(String key, long calledAt) {
            this.key = key;
            this.calledAt = calledAt;
        }

        /** It is certain from this moment on that it took effect. */
        public void acknowledged(long at) {
            knownAt = at;
        }

        @Override
        public String toString() {
            return "invalidation of " + key + " called at " + calledAt + ", acknowledged at " + knownAt;
        }
    }

    private final Map<Long, Compute> computes = new LinkedHashMap<>();
    private final List<Invalidation> invalidations = new ArrayList<>();
    private final List<Sight> sights = new ArrayList<>();

    /** Nothing computed yet. */
    public ComputeHistory() {}

    /** A loader starts; the number is never used again. */
    public long begins(String key, long at) {
        long number = computes.size() + 1L;
        computes.put(number, new Compute(key, at));
        return number;
    }

    /** Its value was stored, for certain. */
    public void stored(long number) {
        compute(number).end = End.STORED;
    }

    /** The loader threw. */
    public void failed(long number) {
        compute(number).end = End.FAILED;
    }

    /** It finished, and its value was refused or may be lost. */
    public void notStored(long number) {
        compute(number).end = End.NOT_STORED;
    }

    /** Somebody begins to invalidate. */
    public Invalidation invalidates(String key, long calledAt) {
        Invalidation invalidation = new Invalidation(key, calledAt);
        invalidations.add(invalidation);
        return invalidation;
    }

    /** A read that was called at this moment returned the value of this compute as fresh. */
    public void seen(String key, long number, long askedAt) {
        sights.add(new Sight(key, number, askedAt));
    }

    /** How often a loader ran. */
    public int size() {
        return computes.size();
    }

    private Compute compute(long number) {
        Compute compute = computes.get(number);
        if (compute == null) throw new AssertionError("M1: a value that nobody computed: number " + number);
        return compute;
    }

    /**
     * M2, which holds under every fault: whoever asks after an invalidation was acknowledged never sees what began to be
     * computed before it was called; and nobody sees what was never computed, under another key, or failed.
     *
     * @throws AssertionError naming what was seen
     */
    public void check() {
        for (Sight sight : sights) {
            Compute compute = compute(sight.number());
            if (!compute.key.equals(sight.key()) || compute.end == End.FAILED) {
                throw new AssertionError("M1: " + sight.key() + " was answered by a " + compute);
            }
            invalidations.forEach(invalidation -> check(sight, compute, invalidation));
        }
    }

    private static void check(Sight sight, Compute compute, Invalidation invalidation) {
        Long knownAt = invalidation.knownAt;
        boolean before = knownAt != null
                && invalidation.key.equals(sight.key())
                && compute.from < invalidation.calledAt
                && sight.askedAt() >= knownAt;
        if (before) throw new AssertionError("M2: " + sight + " saw a " + compute + " in spite of an " + invalidation);
    }

    /**
     * M1, which holds absent faults only: every compute was stored or failed.
     *
     * @throws AssertionError naming a compute in vain
     */
    public void checkOneComputePerValue() {
        computes.values().forEach(compute -> {
            if (compute.end != End.STORED && compute.end != End.FAILED) {
                throw new AssertionError("M1: in vain was the " + compute);
            }
        });
    }
}
