// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import org.jspecify.annotations.Nullable;

/** Something that will happen to a process, or (null) to the world. Ties are broken by the dice of the world. */
final class Event implements Comparable<Event> {
    final @Nullable SimProcess owner;
    private final String what;
    final Runnable work;
    private final long order;
    private long tie;
    private long at;
    private boolean over;

    Event(@Nullable SimProcess owner, String what, Runnable work, long at, long tie, long order) {
        this.owner = owner;
        this.what = what;
        this.work = work;
        this.at = at;
        this.tie = tie;
        this.order = order;
    }

    long at() {
        return at;
    }

    void postpone(long later, long newTie) {
        at = later;
        tie = newTie;
    }

    /** False if it was over before. */
    boolean end() {
        boolean was = over;
        over = true;
        return !was;
    }

    boolean isOver() {
        return over;
    }

    @Override
    public String toString() {
        return owner == null ? what : what + " of " + owner;
    }

    @Override
    public int compareTo(Event other) {
        int byTime = Long.compare(at, other.at);
        if (byTime != 0) return byTime;
        int byTie = Long.compare(tie, other.tie);
        return byTie != 0 ? byTie : Long.compare(order, other.order);
    }
}
