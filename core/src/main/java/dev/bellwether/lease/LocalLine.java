// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Engine;
import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Tokens;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Those of this process who wait for one lock in one way, first come first served. Thread-safe. */
final class LocalLine {
    /*
     * One place in the store's line
     * -----------------------------
     * However many wait here, only a delegate talks to the store, with one place in its line; what it is granted goes to
     * the first who waits here. While this process holds a lease that may be handed on, nobody asks at all: the release
     * is the next one's turn, and costs the store nothing.
     *
     * Where many may hold at once (readers, permits) one delegate would admit one holder per round trip. There a free
     * store is asked by up to WINDOW delegates side by side; the first one that is told to wait closes the window, so that
     * the store's line again sees one newcomer at a time.
     *
     * A line lives while somebody waits, asks or holds through it, and is retired by the last: whoever finds it retired
     * makes another. No foreign code runs under its lock.
     */
    private static final int WINDOW = 16;

    private final LockService service;
    private final LineKey key;
    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashSet<Waiter> waiters = new LinkedHashSet<>();
    private final Set<Delegate> delegates = new LinkedHashSet<>();
    private int window;
    private boolean retired;
    private volatile @Nullable Hold hold;
    private volatile boolean heard;
    private volatile @Nullable RuntimeException trouble;

    LocalLine(LockService service, LineKey key) {
        this.service = service;
        this.key = key;
        this.window = key.isWhole() ? 1 : WINDOW;
    }

    LineKey key() {
        return key;
    }

    Engine engine() {
        return service.engine();
    }

    LockService service() {
        return service;
    }

    /** Joins the line; false if it is retired. */
    boolean enter(Waiter waiter) {
        lock.lock();
        try {
            if (retired) return false;
            waiters.add(waiter);
        } finally {
            lock.unlock();
        }
        waiter.begin();
        pump();
        return true;
    }

    /** Takes note of a hold that was had without waiting; false if the line is retired. */
    boolean adopt(Hold granted) {
        lock.lock();
        try {
            if (retired) return false;
            hold = granted;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether this process has it, so that asking the store would be asking in vain. */
    boolean isHeldHere() {
        Hold here = hold;
        return here != null && here.tenure().isHeld();
    }

    /** Sends out as many delegates as are worth sending. */
    void pump() {
        List<Delegate> fresh = new ArrayList<>(1);
        lock.lock();
        try {
            if (retired || service.isClosed() || isHeldHere()) return;
            int wanted = Math.min(waiters.size(), window);
            while (delegates.size() < wanted) {
                Delegate delegate = new Delegate(this);
                delegates.add(delegate);
                fresh.add(delegate);
            }
        } finally {
            lock.unlock();
        }
        fresh.forEach(Delegate::ask);
    }

    /** The first in line, who leaves it; null if nobody waits. */
    @Nullable
    Waiter next() {
        lock.lock();
        try {
            Iterator<Waiter> first = waiters.iterator();
            if (!first.hasNext()) return null;
            Waiter waiter = first.next();
            first.remove();
            return waiter;
        } finally {
            lock.unlock();
        }
    }

    /** Lets somebody taken out by {@link #next} wait again, before all others. */
    void again(Waiter waiter) {
        if (waiter.future().isDone()) return;
        lock.lock();
        try {
            List<Waiter> others = List.copyOf(waiters);
            waiters.clear();
            waiters.add(waiter);
            waiters.addAll(others);
        } finally {
            lock.unlock();
        }
        // Its wait may have ended while it was in no line.
        if (waiter.future().isDone()) left(waiter);
        pump();
    }

    void left(Waiter waiter) {
        lock.lock();
        try {
            waiters.remove(waiter);
        } finally {
            lock.unlock();
        }
        trim();
    }

    /** Withdraws delegates for whom nobody waits any more, and retires an empty line. */
    void trim() {
        List<Delegate> idle = new ArrayList<>(0);
        lock.lock();
        try {
            int surplus = delegates.size() - waiters.size();
            for (Iterator<Delegate> each = delegates.iterator(); surplus > 0 && each.hasNext(); ) {
                Delegate delegate = each.next();
                if (!delegate.withdrawIfResting()) continue;
                each.remove();
                idle.add(delegate);
                surplus--;
            }
            retireIfIdle();
        } finally {
            lock.unlock();
        }
        idle.forEach(Delegate::leave);
    }

    private void retireIfIdle() {
        if (retired || !waiters.isEmpty() || !delegates.isEmpty() || hold != null) return;
        retired = true;
        service.retire(this);
    }

    /** The store granted it to a delegate. False if the delegate shall ask anew, its owner having been given back. */
    boolean granted(Delegate delegate, Owner owner, Tokens tokens, long sentNanos) {
        heard();
        for (Waiter waiter = next(); waiter != null; waiter = next()) {
            Hold granted =
                    new Hold(service, key, key.handsOn() ? this : null, owner, tokens, sentNanos, waiter.options());
            if (!granted.isWorthHaving()) {
                service.leave(key, owner, false);
                again(waiter);
                return false;
            }
            HeldLease lease = granted.begin(waiter.options());
            done(delegate, granted);
            if (waiter.grant(lease)) {
                granted.keep();
                if (service.isClosed()) lease.shut();
                widen();
                return true;
            }
            service.ended(lease);
        }
        service.leave(key, owner, false);
        done(delegate, null);
        pump();
        return true;
    }

    private void done(Delegate delegate, @Nullable Hold granted) {
        lock.lock();
        try {
            delegates.remove(delegate);
            if (key.handsOn()) hold = granted;
            retireIfIdle();
        } finally {
            lock.unlock();
        }
    }

    private void widen() {
        if (key.isWhole()) return;
        lock.lock();
        try {
            window = WINDOW;
        } finally {
            lock.unlock();
        }
        pump();
    }

    /** The store said no for now. */
    void refused() {
        heard();
        lock.lock();
        try {
            window = 1;
        } finally {
            lock.unlock();
        }
        trim();
    }

    private void heard() {
        heard = true;
        trouble = null;
    }

    void troubled(RuntimeException failure) {
        trouble = failure;
        trim();
    }

    /** The hold has ended, here and in the store or soon in it. */
    void over(Hold ended) {
        lock.lock();
        try {
            if (hold == ended) hold = null;
            retireIfIdle();
        } finally {
            lock.unlock();
        }
        pump();
    }

    /** Ends every wait and every question. */
    void close(RuntimeException why) {
        List<Delegate> all;
        lock.lock();
        try {
            retired = true;
            all = List.copyOf(delegates);
            delegates.clear();
        } finally {
            lock.unlock();
        }
        fail(why);
        all.forEach(Delegate::withdraw);
    }

    /** Ends every wait. */
    void fail(RuntimeException why) {
        List<Waiter> all;
        lock.lock();
        try {
            all = List.copyOf(waiters);
        } finally {
            lock.unlock();
        }
        all.forEach(waiter -> waiter.fail(why));
    }

    RuntimeException timedOut(Waiter waiter) {
        RuntimeException last = trouble;
        String waited = key.label() + ": waited " + waiter.waited().toMillis() + " ms of "
                + waiter.maxWait().toMillis();
        if (last instanceof BackendUnavailableException) {
            return new BackendUnavailableException(
                    waited + " for a store that does not serve (" + last.getMessage() + "); nothing is held", last);
        }
        if (last != null || (!heard && !isHeldHere())) {
            return new OutcomeUnknownException(
                    waited + " for an answer of the store; it may be held by nobody for up to "
                            + key.term().toMillis() + " ms, then frees itself",
                    last);
        }
        return new WaitTimeoutException(
                waited + " and it was held by others all the time; nothing is held. Raise maxWait, or ask"
                        + " Locks.holders who has it",
                null);
    }
}
