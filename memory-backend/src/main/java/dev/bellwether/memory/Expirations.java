// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Gives memory back soon after its time. Every method needs the store's lock. */
final class Expirations {
    /*
     * Whether something has ended is asked of the clock at each use, so that expiry is exact (law S3); here it is only
     * about memory. What expires stands in the bucket of its half second: entering and leaving take constant time
     * within a known bucket, a search among buckets otherwise. Things whose end is put off at each use (a lease that is
     * renewed) stay where they are: the sweep asks them, and puts them where they then belong.
     *
     * One timer task stands at the first bucket while there is any. It is not withdrawn when a bucket empties before its
     * time: a store that adds and removes one thing over and over would do little else.
     */

    /** Half a second: shorter would cost more sweeps, longer would keep memory longer. */
    private static final long GRAIN = 500_000;

    /** Things looked at under one hold of the lock: well below a millisecond. */
    private static final int MOST_PER_SWEEP = 1_000;

    private static final long NOT_ARMED = Long.MAX_VALUE;

    /** Earlier than any bucket, so that nothing is armed until the turn is over. */
    private static final long TURNING = Long.MIN_VALUE;

    private final Timer timer;
    private final Runnable sweeper;
    private final TreeMap<Long, Bucket> buckets = new TreeMap<>();
    private @Nullable Bucket recent;
    private Timer.@Nullable Scheduled armed;
    private long armedFor = NOT_ARMED;

    Expirations(Timer timer, Runnable sweeper) {
        this.timer = timer;
        this.sweeper = sweeper;
    }

    /** Looks at the thing soon after the moment, and no longer at the one it stood for before. */
    void schedule(Expiring thing, long micros, Moment moment) {
        Bucket target = bucket(numberOf(micros));
        if (thing.bucket == target) return;
        Bucket left = thing.bucket;
        if (left != null) left.remove(thing);
        target.add(thing);
        if (left != null) dropIfEmpty(left);
        arm(moment);
    }

    /** As {@link #schedule}, but a look that stands earlier may stay. */
    void scheduleBy(Expiring thing, long micros, Moment moment) {
        Bucket now = thing.bucket;
        if (now == null || now.number > numberOf(micros)) schedule(thing, micros, moment);
    }

    void cancel(Expiring thing) {
        Bucket left = thing.bucket;
        if (left == null) return;
        left.remove(thing);
        dropIfEmpty(left);
    }

    /** The timer's turn: looks at what is due, at most so many, and arms the next turn. */
    void turn(Moment moment) {
        armed = null;
        armedFor = TURNING;
        sweep(moment);
        armedFor = NOT_ARMED;
        arm(moment);
    }

    /** Looks at what is due, at most so many; false if nothing was. */
    boolean sweep(Moment moment) {
        int left = MOST_PER_SWEEP;
        Expiring thing = due(moment);
        if (thing == null) return false;
        for (; thing != null && left > 0; left--) {
            cancel(thing);
            long again = thing.sweep(moment);
            if (again != Expiring.GONE) schedule(thing, again, moment);
            thing = due(moment);
        }
        return true;
    }

    void close() {
        if (armed != null) armed.cancel();
        armed = null;
        buckets.clear();
        recent = null;
    }

    private static long numberOf(long micros) {
        return Math.floorDiv(micros + GRAIN - 1, GRAIN);
    }

    private @Nullable Expiring due(Moment moment) {
        Map.Entry<Long, Bucket> first = buckets.firstEntry();
        return first != null && moment.isPast(first.getKey() * GRAIN) ? first.getValue().first : null;
    }

    private Bucket bucket(long number) {
        Bucket known = recent;
        if (known == null || known.number != number) {
            known = buckets.computeIfAbsent(number, Bucket::new);
            recent = known;
        }
        return known;
    }

    private void dropIfEmpty(Bucket bucket) {
        if (bucket.first != null) return;
        buckets.remove(bucket.number);
        if (recent == bucket) recent = null;
    }

    private void arm(Moment moment) {
        if (buckets.isEmpty() || buckets.firstKey() >= armedFor) return;
        if (armed != null) armed.cancel();
        armedFor = buckets.firstKey();
        Duration delay = moment.until(armedFor * GRAIN);
        armed = timer.after(delay, sweeper);
    }

    static final class Bucket {
        private final long number;
        private @Nullable Expiring first;

        private Bucket(long number) {
            this.number = number;
        }

        private void add(Expiring thing) {
            thing.bucket = this;
            thing.next = first;
            if (first != null) first.previous = thing;
            first = thing;
        }

        private void remove(Expiring thing) {
            if (thing.previous == null) first = thing.next;
            else thing.previous.next = thing.next;
            if (thing.next != null) thing.next.previous = thing.previous;
            thing.bucket = null;
            thing.previous = null;
            thing.next = null;
        }
    }
}
