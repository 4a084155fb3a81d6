// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Owner;
import dev.bellwether.time.Durations;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Those who wait for one lease, in order of arrival. A place whose time has passed is gone once {@link #settle} ran. */
final class Line {
    static final int NO_PLACE = -1;

    private final Map<Owner, Ticket> tickets = new LinkedHashMap<>(4);

    /** No ticket ends earlier. */
    private long earliestEnd = Long.MAX_VALUE;

    void settle(Moment moment) {
        if (!moment.isPast(earliestEnd)) return;
        tickets.values().removeIf(ticket -> moment.isPast(ticket.end));
        earliestEnd = Long.MAX_VALUE;
        for (Ticket ticket : tickets.values()) earliestEnd = Math.min(earliestEnd, ticket.end);
    }

    /** Keeps this owner's place, or gives it the last; answers how many wait before it. */
    int join(LeaseRequest request, LeaseRequest.Line line, Moment moment) {
        Ticket ticket = tickets.computeIfAbsent(
                request.owner(), owner -> new Ticket(request, line, moment.micros(), moment.after(line.ticket())));
        ticket.keepAlive(line, moment);
        earliestEnd = Math.min(earliestEnd, ticket.end);
        return place(request.owner());
    }

    boolean drop(Owner owner) {
        return tickets.remove(owner) != null;
    }

    @Nullable
    Ticket head() {
        return tickets.isEmpty() ? null : tickets.values().iterator().next();
    }

    int size() {
        return tickets.size();
    }

    boolean isEmpty() {
        return tickets.isEmpty();
    }

    /** No later than the first end of a place; {@link Long#MAX_VALUE} if nobody waits. */
    long firstEnd() {
        return tickets.isEmpty() ? Long.MAX_VALUE : earliestEnd;
    }

    private int place(Owner owner) {
        int before = 0;
        for (Owner waiting : tickets.keySet()) {
            if (waiting.equals(owner)) return before;
            before++;
        }
        return NO_PLACE;
    }

    /** A place in the line, with the wish that stands behind it. */
    static final class Ticket {
        private final LeaseRequest request;
        private final LeaseRequest.Line line;
        private final long patienceEnd;
        private long end;

        private Ticket(LeaseRequest request, LeaseRequest.Line line, long arrival, long end) {
            this.request = request;
            this.line = line;
            this.patienceEnd = arrival + micros(line);
            this.end = end;
        }

        LeaseRequest request() {
            return request;
        }

        LeaseRequest.Line line() {
            return line;
        }

        boolean isPatient(Moment moment) {
            return !moment.isPast(patienceEnd);
        }

        private void keepAlive(LeaseRequest.Line asked, Moment moment) {
            long full = moment.after(asked.ticket());
            if (end - moment.micros() < (full - moment.micros()) / 2) end = full;
        }

        private static long micros(LeaseRequest.Line line) {
            return Durations.millis(line.patience()) * 1_000;
        }
    }
}
