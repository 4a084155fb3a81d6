// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Line;
import dev.bellwether.spi.LeaseRequest.Unless;
import dev.bellwether.spi.Tokens;
import dev.bellwether.testkit.model.LeaseCell.Hold;
import dev.bellwether.testkit.model.LeaseCell.Ticket;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Granting a lease, or saying why not. The steps stand in the order of the design page. */
final class Acquiring {
    private Acquiring() {}

    static Acquisition acquire(Moment moment, LeaseRequest request) {
        LeaseCell cell = moment.lease(request.lease());
        KvEntry.Present found = foundInstead(moment, request.unless());
        if (found != null) return new Acquisition.Found(found, moment.time());
        Hold held = cell.holdOf(request.owner());
        if (held != null) return confirm(moment, cell, held, request);
        if (hasEnded(cell, request)) {
            cell.dropTicketOf(request.owner());
            return new Acquisition.Ended(moment.time());
        }
        if (cell.contradicts(request.share())) {
            String reason = "held with a capacity of " + cell.capacity + ", asked with "
                    + request.share().capacity();
            return new Acquisition.Refused(reason, moment.time());
        }
        LeaseCell.Hush hush = cell.hush;
        if (hush != null && !request.evenIfQuiet()) {
            arm(moment, cell, request);
            return new Acquisition.Hushed(hush.note(), hush.lastToken(), moment.until(hush.until()), moment.time());
        }
        if (mayGoNow(moment, cell, request)) return grant(moment, cell, request);
        return refuse(moment, cell, request);
    }

    private static KvEntry.@Nullable Present foundInstead(Moment moment, @Nullable Unless unless) {
        if (unless == null) return null;
        KvEntry entry = Entries.look(moment, unless.key());
        return entry instanceof KvEntry.Present present && !present.version().equals(unless.seen()) ? present : null;
    }

    static boolean hasEnded(LeaseCell cell, LeaseRequest request) {
        return cell.grants != null && request.owner().equals(cell.grants.owner());
    }

    /** Whether a grant would neither exceed the capacity nor overtake a head whose patience is spent. */
    static boolean mayGoNow(Moment moment, LeaseCell cell, LeaseRequest request) {
        Ticket head = cell.head();
        boolean first = head == null || head.owner().equals(request.owner()) || head.isPatientAt(moment.now());
        return first && cell.fits(request.share());
    }

    private static Acquisition confirm(Moment moment, LeaseCell cell, Hold held, LeaseRequest request) {
        long until = held.barred() ? held.until() : Math.max(held.until(), moment.end(request.ttl()));
        cell.replace(held, held.confirmedUntil(until));
        Passing.pass(moment, request.lease(), cell);
        return new Acquisition.Granted(held.tokens(), cell.line.size(), moment.time());
    }

    static Acquisition.Granted grant(Moment moment, LeaseCell cell, LeaseRequest request) {
        Tokens tokens = nextTokens(moment, cell, request.tokens());
        cell.capacity = request.share().capacity();
        cell.holds.add(new Hold(
                request.owner(),
                tokens,
                request.share().weight(),
                moment.end(request.ttl()),
                moment.now(),
                true,
                false));
        if (!request.retain().isZero()) {
            cell.grants = new LeaseCell.Grants(tokens.last(), request.owner(), moment.end(request.retain()));
        }
        cell.dropTicketOf(request.owner());
        cell.hush = null;
        Passing.pass(moment, request.lease(), cell);
        return new Acquisition.Granted(tokens, cell.line.size(), moment.time());
    }

    static Tokens nextTokens(Moment moment, LeaseCell cell, int count) {
        long first = Math.max(moment.tick(), cell.grants == null ? 1 : cell.grants.last() + 1);
        return new Tokens(first, first + count - 1);
    }

    private static Acquisition refuse(Moment moment, LeaseCell cell, LeaseRequest request) {
        if (cell.hasRoom()) Passing.pass(moment, request.lease(), cell);
        Hold handed = cell.holdOf(request.owner());
        if (handed != null) return confirm(moment, cell, handed, request); // the pass reached this very owner
        int place = -1;
        if (request.line() != null) place = stand(moment, cell, request, request.line());
        else arm(moment, cell, request);
        long holder = cell.holds.isEmpty() ? 0 : cell.holds.get(0).tokens().first();
        return new Acquisition.Busy(holder, remaining(moment, cell), place, moment.time());
    }

    private static Duration remaining(Moment moment, LeaseCell cell) {
        return moment.until(cell.holds.stream().mapToLong(Hold::until).min().orElse(0));
    }

    private static void arm(Moment moment, LeaseCell cell, LeaseRequest request) {
        cell.armed.add(moment.client());
        if (request.unless() != null) moment.arm(request.unless().key());
    }

    private static int stand(Moment moment, LeaseCell cell, LeaseRequest request, Line line) {
        int place = cell.placeOf(request.owner());
        long end = moment.end(line.ticket());
        if (place < 0) {
            cell.line.add(new Ticket(
                    request.owner(),
                    moment.client(),
                    moment.now(),
                    end,
                    request.share(),
                    request.tokens(),
                    request.retain(),
                    line.grant(),
                    line.patience()));
            return cell.line.size() - 1;
        }
        Ticket ticket = Objects.requireNonNull(cell.line.get(place));
        boolean overHalfSpent = 2 * (ticket.end() - moment.now()) < Moment.micros(line.ticket());
        if (overHalfSpent) cell.line.set(place, ticket.endingAt(end));
        return place;
    }
}
