// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest.Share;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Tokens;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One name of a lease: who holds it, who waits, what was granted last, and whether it is quiet. Times in microseconds. */
final class LeaseCell {
    record Hold(Owner owner, Tokens tokens, int weight, long until, long since, boolean confirmed, boolean barred) {
        Hold confirmedUntil(long moment) {
            return new Hold(owner, tokens, weight, moment, since, true, barred);
        }

        Hold renewedUntil(long moment) {
            return new Hold(owner, tokens, weight, moment, since, confirmed, barred);
        }

        Hold asBarred() {
            return new Hold(owner, tokens, weight, until, since, confirmed, true);
        }
    }

    /** A place in line, and all that a grant to it needs to know. */
    record Ticket(
            Owner owner,
            long client,
            long arrival,
            long end,
            Share share,
            int tokens,
            Duration retain,
            Duration grant,
            Duration patience) {
        Ticket endingAt(long moment) {
            return new Ticket(owner, client, arrival, moment, share, tokens, retain, grant, patience);
        }

        boolean isPatientAt(long now) {
            return now < arrival + Moment.micros(patience);
        }
    }

    /** The last token granted, and to whom; no owner after a break. */
    record Grants(long last, @Nullable Owner owner, long until) {}

    record Hush(Bytes note, long lastToken, long until) {}

    final List<Hold> holds = new ArrayList<>();
    final List<Ticket> line = new ArrayList<>();
    final Set<Long> armed = new TreeSet<>();
    int capacity = 1;

    @Nullable
    Grants grants;

    @Nullable
    Hush hush;

    LeaseCell copy() {
        LeaseCell copy = new LeaseCell();
        copy.holds.addAll(holds);
        copy.line.addAll(line);
        copy.armed.addAll(armed);
        copy.capacity = capacity;
        copy.grants = grants;
        copy.hush = hush;
        return copy;
    }

    /** True if nothing is left. */
    boolean forgetWhatEnded(long now) {
        holds.removeIf(hold -> hold.until() <= now);
        line.removeIf(ticket -> ticket.end() <= now);
        if (grants != null && grants.until() <= now) grants = null;
        if (hush != null && hush.until() <= now) hush = null;
        return holds.isEmpty() && line.isEmpty() && armed.isEmpty() && grants == null && hush == null;
    }

    @Nullable
    Hold holdOf(Owner owner) {
        return holds.stream()
                .filter(hold -> hold.owner().equals(owner))
                .findFirst()
                .orElse(null);
    }

    @Nullable
    Hold holdOf(long token) {
        return holds.stream()
                .filter(hold -> hold.tokens().contains(token))
                .findFirst()
                .orElse(null);
    }

    void replace(Hold hold, Hold by) {
        holds.set(holds.indexOf(hold), by);
    }

    @Nullable
    Ticket head() {
        return line.isEmpty() ? null : line.get(0);
    }

    /** -1 if it has no place. */
    int placeOf(Owner owner) {
        for (int i = 0; i < line.size(); i++) {
            if (line.get(i).owner().equals(owner)) return i;
        }
        return -1;
    }

    boolean dropTicketOf(Owner owner) {
        return line.removeIf(ticket -> ticket.owner().equals(owner));
    }

    boolean contradicts(Share share) {
        return !holds.isEmpty() && capacity != share.capacity();
    }

    boolean fits(Share share) {
        return !contradicts(share) && share.weight() <= share.capacity() - heldWeight();
    }

    boolean hasRoom() {
        return holds.isEmpty() || heldWeight() < capacity;
    }

    private long heldWeight() {
        return holds.stream().mapToLong(Hold::weight).sum();
    }

    long lastToken() {
        if (grants != null) return grants.last();
        return hush == null ? 0 : hush.lastToken();
    }

    LeaseState state(LeaseName name, Moment moment) {
        List<LeaseState.Hold> shown = holds.stream()
                .map(hold -> new LeaseState.Hold(
                        hold.owner(),
                        hold.tokens(),
                        hold.weight(),
                        Duration.of(Math.max(0, moment.now() - hold.since()), ChronoUnit.MICROS),
                        moment.until(hold.until()),
                        hold.confirmed()))
                .toList();
        Duration quiet = hush == null ? Duration.ZERO : moment.until(hush.until());
        return new LeaseState(name, shown, line.size(), quiet, lastToken());
    }
}
