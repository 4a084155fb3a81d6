// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Engine;
import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.RejectedException;
import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Line;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Subscription;
import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One place in the store's line, on behalf of those who wait in a local one. Thread-safe. */
final class Delegate {
    /*
     * Asking again is everything
     * --------------------------
     * The same request is sent when it begins, when the store hints that it is its turn, when a holder's time is up, and
     * about each second whatever happens; the last keeps its place alive and makes a lost hint cost a second (law L5). A
     * hint is never taken for a grant: how old it is cannot be known, so the grant is asked for, and its deadline counts
     * from before that question was sent (L1). A grant that lapsed unconfirmed ends the owner, and it starts anew at the
     * end of the line.
     *
     * What is withdrawn leaves. A question under way is first waited for: what it may have brought is given back then.
     */
    /** Life of the place in line: some lost questions are survived, and a dead process is skipped soon. */
    private static final Duration TICKET = Duration.ofSeconds(5);

    /** Term of a grant that waits to be confirmed: a dead process costs the others this long. */
    private static final Duration GRANT = Duration.ofSeconds(2);

    /** How long newcomers may overtake the first in line. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final long POLL_NANOS = 1_000_000_000;

    private static final long FIRST_PAUSE_NANOS = 10_000_000;

    private final LocalLine line;
    private final Engine engine;
    private final ReentrantLock lock = new ReentrantLock();
    private Owner owner;
    private @Nullable Subscription turn;
    private @Nullable Scheduled rest;
    private boolean asking;
    private boolean again;
    private boolean withdrawn;
    private boolean unanswered;
    private int failures;

    Delegate(LocalLine line) {
        this.line = line;
        this.engine = line.engine();
        this.owner = begin();
    }

    private Owner begin() {
        Owner fresh = engine.newOwner();
        // Before the first question: its turn may come before its answer does.
        turn = engine.hints().onPassed(fresh, this::ask);
        return fresh;
    }

    void ask() {
        Owner asked;
        lock.lock();
        try {
            again = true;
            if (asking || withdrawn) return;
            if (rest != null) rest.cancel();
            asking = true;
            again = false;
            asked = owner;
        } finally {
            lock.unlock();
        }
        LineKey key = line.key();
        LeaseRequest request = LeaseRequest.of(key.lease(), asked, key.term())
                .withShare(key.share())
                .withTokens(key.handsOn() ? Hold.MOST_HANDOVERS + 1 : 1)
                .withLine(new Line(TICKET, Durations.min(GRANT, key.term()), key.fair() ? Duration.ZERO : PATIENCE));
        long sent = engine.timer().nanoTime();
        engine.sendOnce(
                        "acquisition of " + key.label(),
                        engine.within(engine.requestTimeout()),
                        () -> engine.backend().acquire(request))
                .whenComplete((answer, failure) -> answered(asked, answer, failure, sent));
    }

    private void answered(Owner asked, @Nullable Acquisition answer, @Nullable Throwable failure, long sent) {
        if (isWithdrawn(failure != null)) {
            leave();
        } else if (answer == null) {
            failed(failure);
        } else if (answer instanceof Acquisition.Granted granted) {
            if (line.granted(this, asked, granted.tokens(), sent)) {
                end();
            } else {
                startAnew();
            }
        } else if (answer instanceof Acquisition.Busy busy) {
            heldByOthers(busy.remaining());
        } else if (answer instanceof Acquisition.Hushed hushed) {
            heldByOthers(hushed.remaining());
        } else if (answer instanceof Acquisition.Ended) {
            startAnew();
        } else if (answer instanceof Acquisition.Refused refused) {
            refused(refused.reason());
        } else {
            throw new IllegalStateException("an answer to another question: " + answer);
        }
    }

    private boolean isWithdrawn(boolean noAnswer) {
        lock.lock();
        try {
            unanswered |= noAnswer;
            return withdrawn;
        } finally {
            lock.unlock();
        }
    }

    private void heldByOthers(Duration remaining) {
        failures = 0;
        long left = Durations.nanos(remaining);
        long poll = (long) (POLL_NANOS * (0.8 + 0.4 * engine.timer().random()));
        long spread = Math.min(50_000_000, Durations.nanos(line.key().term()) / 10);
        long soon = left + 1_000_000 + (long) (spread * engine.timer().random());
        rest(left > 0 ? Math.min(soon, poll) : poll);
        line.refused();
    }

    private void refused(String reason) {
        // A lock has one capacity; another one stands there only for a moment after a failover.
        if (line.key().share().capacity() == Integer.MAX_VALUE) {
            heldByOthers(Duration.ZERO);
        } else {
            line.fail(new RejectedException(
                    line.key().label() + " is in use with another number of permits than "
                            + line.key().share().capacity() + " (" + reason + "); nothing is held",
                    null));
            rest(POLL_NANOS);
            line.trim();
        }
    }

    private void failed(@Nullable Throwable thrown) {
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        rest(Math.min(POLL_NANOS, FIRST_PAUSE_NANOS << Math.min(failures++, 10)));
        if (failure instanceof BackendUnavailableException unavailable) {
            line.troubled(unavailable);
        } else if (failure instanceof OutcomeUnknownException unknown) {
            line.troubled(unknown);
        } else {
            line.fail(
                    failure instanceof RejectedException || failure instanceof ClosedException
                            ? (RuntimeException) failure
                            : new IllegalStateException(line.key().label() + " cannot be acquired", failure));
            line.trim();
        }
    }

    private void rest(long nanos) {
        boolean now;
        boolean over;
        lock.lock();
        try {
            asking = false;
            over = withdrawn;
            now = again;
            if (!over && !now) rest = engine.timer().after(Duration.ofNanos(nanos), this::ask);
        } finally {
            lock.unlock();
        }
        if (over) {
            leave();
        } else if (now) {
            ask();
        }
    }

    private void startAnew() {
        lock.lock();
        try {
            asking = false;
            if (withdrawn) return;
            endTurn();
            owner = begin();
            unanswered = false;
        } finally {
            lock.unlock();
        }
        ask();
    }

    /** Called under the line's lock. False while a question is under way, whose answer decides. */
    boolean withdrawIfResting() {
        lock.lock();
        try {
            if (asking || withdrawn) return false;
            withdrawn = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends it whatever it does; a question under way is followed by a leave. */
    void withdraw() {
        boolean resting;
        lock.lock();
        try {
            resting = !asking && !withdrawn;
            withdrawn = true;
        } finally {
            lock.unlock();
        }
        if (resting) leave();
    }

    void leave() {
        end();
        line.service().leave(line.key(), owner, unanswered);
    }

    private void end() {
        lock.lock();
        try {
            withdrawn = true;
            if (rest != null) rest.cancel();
            endTurn();
        } finally {
            lock.unlock();
        }
    }

    private void endTurn() {
        Subscription hints = turn;
        turn = null;
        if (hints != null) hints.close();
    }
}
