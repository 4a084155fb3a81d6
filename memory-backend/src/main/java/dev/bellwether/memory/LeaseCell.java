// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Tokens;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Everything about one lease name. Needs the store's lock; call {@link #settle} before anything else. */
final class LeaseCell extends Expiring {
    /*
     * What has ended by the clock is dropped by settle, so that all other methods see only what lives.
     *
     * A free lease with a line belongs to nobody yet: while the patience of the head lasts, newcomers may overtake it
     * (the head is told, and asks again); once it is spent, the lease is handed to the head, as an unconfirmed hold with
     * the short term that the head named, which it confirms by asking again. The message is not the grant: a waiter that
     * never hears it loses one grant term, no more. A head that does not fit blocks those behind it, so that a writer is
     * not starved by readers.
     */
    private static final int MOST_HANDED = 64;
    private static final Duration REINSTATED_COUNTER = Duration.ofDays(1);

    private final Leases home;
    private final LeaseName name;
    private final Map<Owner, Hold> holds = new LinkedHashMap<>(2);
    private final Line line = new Line();

    private int capacity;
    private long used;
    /** No hold ends earlier. */
    private long earliestDeadline = Long.MAX_VALUE;

    private long quietUntil;
    private Bytes note = Bytes.EMPTY;
    /** The last token of the hold that left the name quiet: told also where no counter is kept. */
    private long quietToken;

    private long lastToken;
    private @Nullable Owner lastOwner;
    private long counterUntil;

    private boolean armed;

    LeaseCell(Leases home, LeaseName name) {
        this.home = home;
        this.name = name;
    }

    LeaseName name() {
        return name;
    }

    void settle(Moment moment) {
        if (moment.isPast(earliestDeadline)) dropLapsed(moment);
        line.settle(moment);
        if (quietUntil != 0 && moment.isPast(quietUntil)) endQuiet();
        if (lastToken != 0 && moment.isPast(counterUntil)) {
            lastToken = 0;
            lastOwner = null;
        }
    }

    Acquisition acquire(LeaseRequest request, Moment moment) {
        Hold own = holds.get(request.owner());
        if (own != null) return grantAgain(own, request, moment);
        if (request.owner().equals(lastOwner)) {
            line.drop(request.owner());
            return new Acquisition.Ended(moment.time());
        }
        if (!holds.isEmpty() && capacity != request.share().capacity()) return refusal(request, moment);
        if (isQuiet() && !request.evenIfQuiet()) {
            return new Acquisition.Hushed(note, quietToken, moment.until(quietUntil), moment.time());
        }
        if (fits(request.share()) && mayGoFirst(request.owner(), moment)) return grant(request, moment);
        return busy(request, moment);
    }

    /** Whether {@link #acquire} without a line would grant. */
    boolean wouldGrant(LeaseRequest request, Moment moment) {
        if (holds.containsKey(request.owner())) return true;
        return !request.owner().equals(lastOwner)
                && (!isQuiet() || request.evenIfQuiet())
                && fits(request.share())
                && mayGoFirst(request.owner(), moment);
    }

    /** Whether {@link #acquire} would say that the request contradicts what is held. */
    boolean wouldRefuse(LeaseRequest request) {
        return !holds.isEmpty()
                && capacity != request.share().capacity()
                && !holds.containsKey(request.owner())
                && !request.owner().equals(lastOwner);
    }

    @Nullable
    Hold hold(Owner owner) {
        return holds.get(owner);
    }

    boolean isHeldBy(long token) {
        return holds.values().stream().anyMatch(hold -> hold.tokens().contains(token));
    }

    boolean mayRenew(LeaseMutation.Renew renew) {
        Hold hold = holds.get(renew.owner());
        if (hold != null) return !hold.isBarred();
        Tokens known = renew.reinstate();
        return known != null && lastToken <= known.last() && !isQuiet() && fits(renew.share());
    }

    int renew(LeaseMutation.Renew renew, Moment moment) {
        long deadline = moment.after(renew.ttl());
        Hold hold = holds.get(renew.owner());
        if (hold != null) extend(hold, deadline);
        else if (renew.reinstate() != null) reinstate(renew, renew.reinstate(), deadline, moment);
        return line.size();
    }

    void release(Owner owner, Quiet quiet, Moment moment) {
        Hold hold = holds.get(owner);
        if (hold == null) return;
        drop(hold);
        if (!quiet.time().isZero()) {
            quietUntil = moment.after(quiet.time());
            note = quiet.note();
            quietToken = hold.tokens().last();
        }
        freed(moment);
    }

    void leave(Owner owner, Moment moment) {
        if (line.drop(owner)) pass(moment);
        release(owner, Quiet.NONE, moment);
    }

    void breakAll(boolean atOnce, Moment moment) {
        boolean freer = isQuiet() || (atOnce && !holds.isEmpty());
        endQuiet();
        skipToken();
        if (atOnce) dropAll();
        else holds.values().forEach(Hold::bar);
        if (freer) tellFreed(moment);
        if (atOnce) pass(moment);
    }

    /** Ends whoever holds by this token; more than one only where somebody reinstated a range that was not its own. */
    void breakHold(long token, boolean atOnce, Moment moment) {
        skipToken();
        for (Hold hold : List.copyOf(holds.values())) {
            if (!hold.tokens().contains(token)) continue;
            if (atOnce) drop(hold);
            else hold.bar();
        }
        if (atOnce) freed(moment);
    }

    void arm() {
        armed = true;
    }

    boolean isWorthShowing() {
        return !holds.isEmpty() || !line.isEmpty() || isQuiet();
    }

    LeaseState state(Moment moment) {
        return new LeaseState(
                name,
                holds.values().stream().map(hold -> hold.state(moment)).toList(),
                line.size(),
                isQuiet() ? moment.until(quietUntil) : Duration.ZERO,
                lastToken == 0 ? quietToken : lastToken);
    }

    /** When to look next, no later than the next end, or {@link #GONE} if nothing is left. */
    long nextLook() {
        long end = Math.min(earliestDeadline, line.firstEnd());
        if (end != GONE) return end;
        end = Math.max(quietUntil, lastToken == 0 ? 0 : counterUntil);
        return end == 0 ? GONE : end;
    }

    /** Tells those that were refused without a place in line; also when the cell goes, for then nobody will release it. */
    void tellFreed(Moment moment) {
        if (!armed) return;
        armed = false;
        moment.hint(new Hint.Freed(name));
    }

    @Override
    long sweep(Moment moment) {
        return home.sweep(this, moment);
    }

    private Acquisition grantAgain(Hold own, LeaseRequest request, Moment moment) {
        own.confirm();
        if (!own.isBarred()) extend(own, Math.max(own.deadline(), moment.after(request.ttl())));
        pass(moment);
        return new Acquisition.Granted(own.tokens(), line.size(), moment.time());
    }

    private Acquisition grant(LeaseRequest request, Moment moment) {
        Tokens tokens = admit(request, moment.after(request.ttl()), true, moment);
        endQuiet();
        pass(moment);
        return new Acquisition.Granted(tokens, line.size(), moment.time());
    }

    private Acquisition busy(LeaseRequest request, Moment moment) {
        if (isAnythingFree()) pass(moment);
        Hold handed = holds.get(request.owner());
        if (handed != null) return grantAgain(handed, request, moment);
        LeaseRequest.Line wish = request.line();
        int place = wish == null ? Line.NO_PLACE : line.join(request, wish, moment);
        long holder =
                holds.isEmpty() ? 0 : holds.values().iterator().next().tokens().first();
        return new Acquisition.Busy(holder, untilFirstEnd(moment), place, moment.time());
    }

    private Acquisition refusal(LeaseRequest request, Moment moment) {
        return new Acquisition.Refused(
                "the lease " + name.name() + " is held with a capacity of " + capacity + ", not "
                        + request.share().capacity(),
                moment.time());
    }

    private boolean mayGoFirst(Owner owner, Moment moment) {
        Line.Ticket head = line.head();
        return head == null || head.request().owner().equals(owner) || head.isPatient(moment);
    }

    private void pass(Moment moment) {
        for (int handed = 0; handed < MOST_HANDED && !isQuiet(); handed++) {
            Line.Ticket head = line.head();
            if (head == null || !fits(head.request().share())) return;
            moment.hint(new Hint.Passed(name, head.request().owner()));
            if (head.isPatient(moment)) return;
            Tokens unused = admit(head.request(), moment.after(head.line().grant()), false, moment);
        }
    }

    private Tokens admit(LeaseRequest request, long deadline, boolean confirmed, Moment moment) {
        Tokens tokens = mint(request, moment);
        line.drop(request.owner());
        add(
                new Hold(request.owner(), tokens, request.share().weight(), moment.micros(), deadline, confirmed),
                request.share());
        return tokens;
    }

    private Tokens mint(LeaseRequest request, Moment moment) {
        long first = Math.max(lastToken + 1, moment.tick());
        Tokens tokens = new Tokens(first, first + request.tokens() - 1);
        if (!request.retain().isZero()) count(tokens.last(), request.owner(), moment.after(request.retain()));
        return tokens;
    }

    private void reinstate(LeaseMutation.Renew renew, Tokens tokens, long deadline, Moment moment) {
        // An owner with a hold and a place would be handed a second hold.
        line.drop(renew.owner());
        add(new Hold(renew.owner(), tokens, renew.share().weight(), moment.micros(), deadline, true), renew.share());
        count(tokens.last(), renew.owner(), moment.after(REINSTATED_COUNTER));
    }

    private void count(long last, @Nullable Owner owner, long until) {
        lastToken = last;
        lastOwner = owner;
        counterUntil = until;
    }

    private void skipToken() {
        if (lastToken != 0) count(lastToken + 1, null, counterUntil);
    }

    private boolean fits(LeaseRequest.Share share) {
        return holds.isEmpty() || (capacity == share.capacity() && share.weight() <= capacity - used);
    }

    private boolean isAnythingFree() {
        return holds.isEmpty() || used < capacity;
    }

    private void freed(Moment moment) {
        tellFreed(moment);
        pass(moment);
    }

    private void add(Hold hold, LeaseRequest.Share share) {
        holds.put(hold.owner(), hold);
        capacity = share.capacity();
        used += hold.weight();
        earliestDeadline = Math.min(earliestDeadline, hold.deadline());
    }

    private void extend(Hold hold, long deadline) {
        hold.endAt(deadline);
        earliestDeadline = Math.min(earliestDeadline, deadline);
    }

    private void drop(Hold hold) {
        holds.remove(hold.owner());
        used -= hold.weight();
        if (holds.isEmpty()) earliestDeadline = Long.MAX_VALUE;
    }

    private void dropAll() {
        holds.clear();
        used = 0;
        earliestDeadline = Long.MAX_VALUE;
    }

    private void dropLapsed(Moment moment) {
        holds.values().removeIf(hold -> moment.isPast(hold.deadline()));
        used = 0;
        earliestDeadline = Long.MAX_VALUE;
        for (Hold hold : holds.values()) {
            used += hold.weight();
            earliestDeadline = Math.min(earliestDeadline, hold.deadline());
        }
    }

    private Duration untilFirstEnd(Moment moment) {
        if (holds.isEmpty()) return Duration.ZERO;
        long first = Long.MAX_VALUE;
        for (Hold hold : holds.values()) first = Math.min(first, hold.deadline());
        return moment.until(first);
    }

    private boolean isQuiet() {
        return quietUntil != 0;
    }

    private void endQuiet() {
        quietUntil = 0;
        note = Bytes.EMPTY;
        quietToken = 0;
    }
}
