// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseMutation.Take;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Tokens;
import dev.bellwether.testkit.model.LeaseCell.Grants;
import dev.bellwether.testkit.model.LeaseCell.Hold;
import dev.bellwether.testkit.model.LeaseCell.Hush;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The lease mutations of a commit: whether each may happen, and what it does. */
final class LeaseChanges {
    /** How long a reinstated hold keeps its counter: the usual retention. */
    private static final Duration RETAIN = Duration.ofDays(1);

    private LeaseChanges() {}

    static @Nullable Obstacle obstacle(Moment moment, int index, LeaseMutation mutation) {
        LeaseCell cell = moment.lease(mutation.lease());
        if (mutation instanceof Take take) return obstacle(moment, index, cell, take.request());
        boolean fine = true;
        if (mutation instanceof Renew renew) fine = mayRenew(cell, renew);
        if (mutation instanceof Release release) fine = cell.holdOf(release.owner()) != null;
        if (mutation instanceof Break end && end.token() != null) fine = cell.holdOf(end.token()) != null;
        return fine ? null : new Obstacle.NotHeld(index, cell.state(mutation.lease(), moment));
    }

    private static @Nullable Obstacle obstacle(Moment moment, int index, LeaseCell cell, LeaseRequest request) {
        if (cell.holdOf(request.owner()) != null) return null;
        boolean ended = Acquiring.hasEnded(cell, request);
        if (!ended && cell.contradicts(request.share())) {
            return new Obstacle.Unfit(index, "the lease is held with another capacity");
        }
        boolean hushed = cell.hush != null && !request.evenIfQuiet();
        return !ended && !hushed && Acquiring.mayGoNow(moment, cell, request)
                ? null
                : new Obstacle.LeaseTaken(index, cell.state(request.lease(), moment));
    }

    private static boolean mayRenew(LeaseCell cell, Renew renew) {
        Hold held = cell.holdOf(renew.owner());
        if (held != null) return !held.barred();
        Tokens range = renew.reinstate();
        return range != null
                && (cell.grants == null || cell.grants.last() <= range.last())
                && cell.fits(renew.share())
                && cell.hush == null;
    }

    static Outcome apply(Moment moment, LeaseMutation mutation) {
        LeaseCell cell = moment.lease(mutation.lease());
        if (mutation instanceof Take take) return take(moment, take.request());
        if (mutation instanceof Renew renew) return renew(moment, cell, renew);
        if (mutation instanceof Release release) release(moment, release, cell);
        if (mutation instanceof Leave leave) leave(moment, leave, cell);
        if (mutation instanceof Break end) end(moment, end, cell);
        return Outcome.DONE;
    }

    private static Outcome take(Moment moment, LeaseRequest request) {
        var granted = (Acquisition.Granted) Acquiring.acquire(moment, request);
        return new Outcome.Taken(granted.tokens());
    }

    private static Outcome renew(Moment moment, LeaseCell cell, Renew renew) {
        Hold held = cell.holdOf(renew.owner());
        if (held != null) cell.replace(held, held.renewedUntil(moment.end(renew.ttl())));
        else reinstate(moment, cell, renew, Objects.requireNonNull(renew.reinstate()));
        return new Outcome.Renewed(cell.line.size());
    }

    private static void reinstate(Moment moment, LeaseCell cell, Renew renew, Tokens range) {
        cell.capacity = renew.share().capacity();
        cell.holds.add(new Hold(
                renew.owner(), range, renew.share().weight(), moment.end(renew.ttl()), moment.now(), true, false));
        cell.grants = new Grants(range.last(), renew.owner(), moment.end(RETAIN));
    }

    private static void release(Moment moment, Release release, LeaseCell cell) {
        endHold(cell, release.owner(), release.quiet(), moment);
        Passing.pass(moment, release.lease(), cell);
        Passing.freed(moment, release.lease(), cell);
    }

    private static void endHold(LeaseCell cell, Owner owner, Quiet quiet, Moment moment) {
        Hold held = Objects.requireNonNull(cell.holdOf(owner));
        cell.holds.remove(held);
        if (!quiet.time().isZero()) {
            cell.hush = new Hush(quiet.note(), held.tokens().last(), moment.end(quiet.time()));
        }
    }

    private static void leave(Moment moment, Leave leave, LeaseCell cell) {
        boolean waited = cell.dropTicketOf(leave.owner());
        boolean held = cell.holdOf(leave.owner()) != null;
        if (held) endHold(cell, leave.owner(), Quiet.NONE, moment);
        if (waited || held) Passing.pass(moment, leave.lease(), cell);
        if (held) Passing.freed(moment, leave.lease(), cell);
    }

    private static void end(Moment moment, Break end, LeaseCell cell) {
        if (end.token() == null) cell.hush = null;
        for (Hold hold : List.copyOf(cell.holds)) {
            if (end.token() != null && !hold.tokens().contains(end.token())) continue;
            if (end.atOnce()) cell.holds.remove(hold);
            else cell.replace(hold, hold.asBarred());
        }
        if (cell.grants != null) cell.grants = new Grants(cell.grants.last() + 1, null, cell.grants.until());
        if (!end.atOnce()) return;
        Passing.pass(moment, end.lease(), cell);
        Passing.freed(moment, end.lease(), cell);
    }
}
