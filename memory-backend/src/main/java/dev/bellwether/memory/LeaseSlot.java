// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Line;
import dev.bellwether.spi.LeaseRequest.Share;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Tokens;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One lease as it stands. Times are the store's microseconds. Under the store's lock. */
final class LeaseSlot {
    final LeaseName name;
    final Map<Owner, Hold> holds = new LinkedHashMap<>(2);
    final Map<Owner, Ticket> line = new LinkedHashMap<>(2);
    int capacity = 1;
    long used;
    long quietUntil;
    Bytes note = Bytes.EMPTY;
    long quietToken;
    long last;

    @Nullable
    Owner lastOwner;

    long counterUntil;

    /** The second in which this slot is looked at for reclaiming; {@link Expirations#NEVER} if none is planned. */
    long plannedMillis = Expirations.NEVER;

    /** One holder. */
    static final class Hold {
        final Owner owner;
        final Tokens tokens;
        final int weight;
        final long since;
        long deadline;
        boolean confirmed;
        boolean barred;

        Hold(Owner owner, Tokens tokens, int weight, long since, long deadline, boolean confirmed) {
            this.owner = owner;
            this.tokens = tokens;
            this.weight = weight;
            this.since = since;
            this.deadline = deadline;
            this.confirmed = confirmed;
        }
    }

    /** One place in line. */
    static final class Ticket {
        final Owner owner;
        final long arrival;
        final Share share;
        final int tokens;
        final Duration retain;
        final Line how;
        long end;

        Ticket(LeaseRequest request, Line how, long now) {
            this.owner = request.owner();
            this.arrival = now;
            this.share = request.share();
            this.tokens = request.tokens();
            this.retain = request.retain();
            this.how = how;
            this.end = now + micros(how.ticket());
        }

        boolean isPatient(long now) {
            return now < arrival + micros(how.patience());
        }
    }

    LeaseSlot(LeaseName name) {
        this.name = name;
    }

    static long micros(Duration length) {
        return Durations.millis(length) * 1_000;
    }

    /** Drops what is over; nothing is told to anybody. */
    void expire(long now) {
        if (!holds.isEmpty()) {
            holds.values().removeIf(hold -> {
                boolean over = hold.deadline <= now;
                if (over) used -= hold.weight;
                return over;
            });
        }
        if (!line.isEmpty()) line.values().removeIf(ticket -> ticket.end <= now);
        if (quietUntil <= now) note = Bytes.EMPTY;
        if (counterUntil <= now) {
            last = 0;
            lastOwner = null;
        }
    }

    boolean isQuiet(long now) {
        return quietUntil > now;
    }

    boolean fits(int weight) {
        return holds.isEmpty() || used + weight <= capacity;
    }

    @Nullable
    Ticket head() {
        return line.isEmpty() ? null : line.values().iterator().next();
    }

    /** How many stand before this owner; -1 without a place. */
    int place(Owner owner) {
        int place = 0;
        for (Owner each : line.keySet()) {
            if (each.equals(owner)) return place;
            place++;
        }
        return -1;
    }

    Hold grant(Owner owner, Share share, Tokens tokens, Duration retain, long now, long term, boolean confirmed) {
        if (holds.isEmpty()) capacity = share.capacity();
        Hold hold = new Hold(owner, tokens, share.weight(), now, now + term, confirmed);
        holds.put(owner, hold);
        used += share.weight();
        line.remove(owner);
        quietUntil = 0;
        note = Bytes.EMPTY;
        if (!retain.isZero()) {
            last = tokens.last();
            lastOwner = owner;
            counterUntil = now + micros(retain);
        }
        return hold;
    }

    void end(Hold hold) {
        if (holds.remove(hold.owner) != null) used -= hold.weight;
    }

    /** First end of a hold, from now; zero if nothing is held. */
    Duration remaining(long now) {
        long first = Long.MAX_VALUE;
        for (Hold hold : holds.values()) first = Math.min(first, hold.deadline);
        return first == Long.MAX_VALUE ? Duration.ZERO : Duration.ofNanos(Math.max(0, first - now) * 1_000);
    }

    long holderToken() {
        return holds.isEmpty() ? 0 : holds.values().iterator().next().tokens.first();
    }

    LeaseState state(long now) {
        List<LeaseState.Hold> shown = new ArrayList<>(holds.size());
        for (Hold hold : holds.values()) {
            shown.add(new LeaseState.Hold(
                    hold.owner,
                    hold.tokens,
                    hold.weight,
                    Duration.ofNanos((now - hold.since) * 1_000),
                    Duration.ofNanos((hold.deadline - now) * 1_000),
                    hold.confirmed));
        }
        Duration quiet = Duration.ofNanos(Math.max(0, quietUntil - now) * 1_000);
        return new LeaseState(name, shown, line.size(), quiet, last);
    }

    boolean isShown(long now) {
        return !holds.isEmpty() || !line.isEmpty() || isQuiet(now);
    }

    /** When nothing of this is needed any more. */
    long endMicros() {
        long end = Math.max(quietUntil, counterUntil);
        for (Hold hold : holds.values()) end = Math.max(end, hold.deadline);
        for (Ticket ticket : line.values()) end = Math.max(end, ticket.end);
        return end;
    }
}
