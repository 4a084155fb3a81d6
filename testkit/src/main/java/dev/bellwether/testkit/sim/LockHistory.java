// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Who believed, and when, to hold one lock: checks L1 and L2.
 *
 * <p>Moments are true nanoseconds of one clock, such as {@link SimWorld#nanos()}. A belief lasts from when the holder
 * learned of its grant until its own deadline, or until it gave up, whichever is first; a process that stands still goes
 * on believing. Not thread-safe.
 */
public final class LockHistory {
    private final List<Belief> beliefs = new ArrayList<>();

    /** No beliefs yet. */
    public LockHistory() {}

    /** One holder's belief. */
    public static final class Belief {
        private final String who;
        private final long token;
        private final long from;
        private long until;
        private boolean over;

        private Belief(String who, long token, long from, long until) {
            this.who = who;
            this.token = token;
            this.from = from;
            this.until = until;
        }

        /** A renewal succeeded: the deadline is now this. Nothing if the belief is over. */
        public void renewed(long until) {
            if (!over) this.until = Math.max(this.until, until);
        }

        /** Released, lost or crashed at this moment, unless the deadline came first. */
        public void ended(long at) {
            over = true;
            until = Math.min(until, at);
        }

        @Override
        public String toString() {
            return who + " with token " + token + " from " + from + " until " + until;
        }
    }

    /** A grant was learned of. */
    public Belief begins(String who, long token, long from, long until) {
        Belief belief = new Belief(who, token, from, until);
        beliefs.add(belief);
        return belief;
    }

    /** How many beliefs lasted for any time at all. */
    public long size() {
        return beliefs.stream().filter(belief -> belief.from < belief.until).count();
    }

    /**
     * @throws AssertionError naming two beliefs that overlap, or whose tokens do not grow
     */
    public void check() {
        List<Belief> inOrder = beliefs.stream()
                .filter(belief -> belief.from < belief.until)
                .sorted(Comparator.comparingLong(belief -> belief.from))
                .toList();
        for (int i = 1; i < inOrder.size(); i++) check(inOrder.get(i - 1), inOrder.get(i));
    }

    private static void check(Belief earlier, Belief later) {
        if (later.from < earlier.until) {
            throw new AssertionError("L1: two believe to hold the lock at once:\n  " + earlier + "\n  " + later);
        }
        if (later.token <= earlier.token) {
            throw new AssertionError("L2: the token did not grow:\n  " + earlier + "\n  " + later);
        }
    }
}
