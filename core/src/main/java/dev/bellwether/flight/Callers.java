// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Who waits in one flight, and whether it still takes anybody. Thread-safe; never calls out under its lock. */
final class Callers<V> {
    /** What became of a wish to join. */
    enum Joining {
        WAITS,
        /** The flight has a stale value for those who come now. */
        SERVED,
        REFUSED
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Caller<V>> waiting = new ArrayList<>(2);
    private boolean over;
    private boolean sealed;
    private boolean leads;
    private boolean follows;
    private @Nullable Stale<V> served;

    Joining join(Caller<V> caller, long nowNanos) {
        lock.lock();
        try {
            if (over || sealed) return Joining.REFUSED;
            if (served != null && served.serves(nowNanos)) return Joining.SERVED;
            caller.late = leads;
            caller.leads = false;
            caller.overdue = false;
            caller.looks = 0;
            waiting.add(caller);
            return Joining.WAITS;
        } finally {
            lock.unlock();
        }
    }

    /** The stale value that was found, for who is told that it is served. */
    @Nullable
    Stale<V> served() {
        lock.lock();
        try {
            return served;
        } finally {
            lock.unlock();
        }
    }

    /** How a caller left. */
    enum Leaving {
        WAS_NOT_HERE,
        LEFT,
        /** Nobody is left and nothing is computed: the flight is over. */
        LEFT_LAST
    }

    Leaving leave(Caller<V> caller) {
        lock.lock();
        try {
            if (!waiting.remove(caller)) return Leaving.WAS_NOT_HERE;
            if (!waiting.isEmpty() || leads || over) return Leaving.LEFT;
            over = true;
            return Leaving.LEFT_LAST;
        } finally {
            lock.unlock();
        }
    }

    /** From now on this process computes; false if the flight is over. */
    boolean lead() {
        lock.lock();
        try {
            if (over) return false;
            leads = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    boolean isLeading() {
        lock.lock();
        try {
            return leads;
        } finally {
            lock.unlock();
        }
    }

    /** From now on everybody gets the stale value for as long as it may be served; those who wait are handed out. */
    List<Caller<V>> serve(Stale<V> value) {
        lock.lock();
        try {
            if (!sealed) served = value;
            return take(true);
        } finally {
            lock.unlock();
        }
    }

    /** Nobody joins any more; those who have go on waiting. */
    void seal() {
        lock.lock();
        try {
            sealed = true;
            served = null;
        } finally {
            lock.unlock();
        }
    }

    /** Whether what goes on here would be served to somebody who comes now. */
    boolean servesOrLeads() {
        lock.lock();
        try {
            return leads || served != null;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the flight and hands out everybody. */
    List<Caller<V>> close() {
        lock.lock();
        try {
            over = true;
            return take(true);
        } finally {
            lock.unlock();
        }
    }

    /** Ends the flight for all but those whose thread is inside the loader. */
    List<Caller<V>> abandon() {
        lock.lock();
        try {
            over = true;
            return take(false);
        } finally {
            lock.unlock();
        }
    }

    private List<Caller<V>> take(boolean evenComputing) {
        List<Caller<V>> taken = new ArrayList<>(waiting);
        if (!evenComputing) taken.removeIf(caller -> caller.computing);
        waiting.removeIf(caller -> evenComputing || !caller.computing);
        return taken;
    }

    /** At its deadline: whether it stays until the first look, still under way, has told who leads. */
    boolean postpone(Caller<V> caller) {
        lock.lock();
        try {
            if (follows || leads || !waiting.contains(caller)) return false;
            caller.overdue = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Hands out those whose deadline came before it was known that this process leads, but not for whom it leads. */
    List<Caller<V>> overdue() {
        lock.lock();
        try {
            List<Caller<V>> overdue = new ArrayList<>(waiting);
            overdue.removeIf(caller -> !caller.overdue || caller.leads);
            waiting.removeAll(overdue);
            return overdue;
        } finally {
            lock.unlock();
        }
    }

    /** Another leads: hands out those whose deadline has come, or for whom so many looks were in vain. */
    List<Caller<V>> spent(int attempts) {
        lock.lock();
        try {
            follows = true;
            List<Caller<V>> spent = new ArrayList<>();
            for (Caller<V> caller : waiting) {
                if (caller.looks++ >= attempts || caller.overdue) spent.add(caller);
            }
            waiting.removeAll(spent);
            return spent;
        } finally {
            lock.unlock();
        }
    }

    List<Caller<V>> present() {
        lock.lock();
        try {
            return List.copyOf(waiting);
        } finally {
            lock.unlock();
        }
    }

    boolean isEmpty() {
        lock.lock();
        try {
            return waiting.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    boolean isOver() {
        lock.lock();
        try {
            return over;
        } finally {
            lock.unlock();
        }
    }
}
