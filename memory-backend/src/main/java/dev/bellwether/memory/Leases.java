// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.memory.LeaseSlot.Hold;
import dev.bellwether.memory.LeaseSlot.Ticket;
import dev.bellwether.memory.MemoryBackend.HintList;
import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseMutation.Take;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Share;
import dev.bellwether.spi.LeaseRequest.Unless;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.spi.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Leases and their lines. Under the store's lock. */
final class Leases {
    /*
     * The rules stand in docs/design/spi-semantics.md. A slot is kept while anything of it counts; the moment of its last
     * part is planned, so that it is reclaimed soon after. Expired parts are dropped at the first touch of a slot, before
     * anything is decided on it: what has ended is never seen.
     */
    private static final int MOST_PASSES = 64;
    private static final Duration REINSTATED = Duration.ofDays(1);

    private final Map<LeaseName, LeaseSlot> slots = new HashMap<>();
    private final Expirations expirations;
    private final Interest interest;
    private final Entries entries;
    private final ToLongFunction<Integer> ticks;

    /** @param ticks reserves so many numbers and gives the first, larger than all before */
    Leases(Expirations expirations, Interest interest, Entries entries, ToLongFunction<Integer> ticks) {
        this.expirations = expirations;
        this.interest = interest;
        this.entries = entries;
        this.ticks = ticks;
    }

    private LeaseSlot slot(LeaseName name, long now) {
        LeaseSlot slot = slots.computeIfAbsent(name, LeaseSlot::new);
        slot.expire(now);
        return slot;
    }

    private @Nullable LeaseSlot known(LeaseName name, long now) {
        LeaseSlot slot = slots.get(name);
        if (slot != null) slot.expire(now);
        return slot;
    }

    /** Plans the reclaiming of what was touched, or drops it if nothing of it counts. */
    private void settle(LeaseSlot slot, long now) {
        long end = slot.endMicros();
        long endMillis = end <= now ? Expirations.NEVER : end / 1_000 + 1;
        if (end <= now) slots.remove(slot.name, slot);
        // Planned later than needed at most: a renewal each few seconds does not move it each time.
        if (endMillis == slot.plannedMillis) return;
        expirations.remove(slot.name, slot.plannedMillis);
        expirations.add(slot.name, endMillis);
        slot.plannedMillis = endMillis;
    }

    void reclaim(LeaseName name, long now) {
        LeaseSlot slot = known(name, now);
        if (slot == null) return;
        slot.plannedMillis = Expirations.NEVER;
        settle(slot, now);
    }

    // ---- acquiring

    Acquisition acquire(LeaseRequest request, long now, HintList hints) {
        StoreTime time = StoreTime.exact(now);
        Unless unless = request.unless();
        if (unless != null) {
            KvEntry.Present present = entries.present(unless.key(), now / 1_000);
            if (present != null && !present.version().equals(unless.seen()))
                return new Acquisition.Found(present, time);
        }
        LeaseSlot slot = slot(request.lease(), now);
        Acquisition answer = acquire(slot, request, now, time, hints);
        settle(slot, now);
        return answer;
    }

    private Acquisition acquire(LeaseSlot slot, LeaseRequest request, long now, StoreTime time, HintList hints) {
        Hold own = slot.holds.get(request.owner());
        if (own != null) return confirm(slot, own, request, now, time, hints);
        if (request.owner().equals(slot.lastOwner)) {
            slot.line.remove(request.owner());
            return new Acquisition.Ended(time);
        }
        if (!slot.holds.isEmpty() && slot.capacity != request.share().capacity()) {
            return new Acquisition.Refused(otherCapacity(slot, request.share()), time);
        }
        if (slot.isQuiet(now) && !request.evenIfQuiet()) {
            arm(request, hints);
            Duration quiet = Duration.ofNanos((slot.quietUntil - now) * 1_000);
            return new Acquisition.Hushed(slot.note, slot.quietToken, quiet, time);
        }
        if (mayTake(slot, request, now)) {
            Hold hold = grant(slot, request, now);
            pass(slot, now, hints);
            return new Acquisition.Granted(hold.tokens, slot.line.size(), time);
        }
        return busy(slot, request, now, time, hints);
    }

    private Acquisition confirm(
            LeaseSlot slot, Hold own, LeaseRequest request, long now, StoreTime time, HintList hints) {
        own.confirmed = true;
        if (!own.barred) own.deadline = Math.max(own.deadline, now + LeaseSlot.micros(request.ttl()));
        pass(slot, now, hints);
        return new Acquisition.Granted(own.tokens, slot.line.size(), time);
    }

    private static String otherCapacity(LeaseSlot slot, Share share) {
        return slot.name.name() + " is held with a capacity of " + slot.capacity + ", and this request states "
                + share.capacity() + "; all must state the same";
    }

    private static boolean mayTake(LeaseSlot slot, LeaseRequest request, long now) {
        if (!slot.fits(request.share().weight())) return false;
        Ticket head = slot.head();
        return head == null || head.owner.equals(request.owner()) || head.isPatient(now);
    }

    private Hold grant(LeaseSlot slot, LeaseRequest request, long now) {
        Tokens tokens = tokens(slot, request.tokens());
        return slot.grant(
                request.owner(), request.share(), tokens, request.retain(), now, LeaseSlot.micros(request.ttl()), true);
    }

    private Tokens tokens(LeaseSlot slot, int count) {
        long first = Math.max(slot.last + 1, ticks.applyAsLong(count));
        return new Tokens(first, first + count - 1);
    }

    private Acquisition busy(LeaseSlot slot, LeaseRequest request, long now, StoreTime time, HintList hints) {
        if (slot.holds.isEmpty() || slot.used < slot.capacity) pass(slot, now, hints);
        int place = -1;
        LeaseRequest.Line how = request.line();
        if (how == null) {
            arm(request, hints);
        } else {
            Ticket ticket = slot.line.get(request.owner());
            if (ticket == null) {
                slot.line.put(request.owner(), new Ticket(request, how, now));
            } else if (ticket.end - now < LeaseSlot.micros(how.ticket()) / 2) {
                ticket.end = now + LeaseSlot.micros(how.ticket());
            }
            place = slot.place(request.owner());
        }
        return new Acquisition.Busy(slot.holderToken(), slot.remaining(now), place, time);
    }

    private void arm(LeaseRequest request, HintList hints) {
        if (!interest.place(request.lease())) hints.add(new Hint.Freed(request.lease()));
        Unless unless = request.unless();
        if (unless != null && !interest.place(unless.key())) hints.add(new Hint.Changed(unless.key()));
    }

    /** Hands the name on, or wakes the head of the line, as long as there is room. */
    private void pass(LeaseSlot slot, long now, HintList hints) {
        for (int passes = 0; passes < MOST_PASSES; passes++) {
            Ticket head = slot.head();
            if (head == null || slot.isQuiet(now) || !slot.fits(head.share.weight()) || differs(slot, head)) return;
            hints.add(new Hint.Passed(slot.name, head.owner));
            if (head.isPatient(now)) return;
            slot.grant(
                    head.owner,
                    head.share,
                    tokens(slot, head.tokens),
                    head.retain,
                    now,
                    LeaseSlot.micros(head.how.grant()),
                    false);
        }
    }

    private static boolean differs(LeaseSlot slot, Ticket head) {
        return !slot.holds.isEmpty() && slot.capacity != head.share.capacity();
    }

    // ---- within a commit

    boolean isHeld(LeaseName name, Owner owner, long now) {
        LeaseSlot slot = known(name, now);
        return slot != null && slot.holds.containsKey(owner);
    }

    @Nullable
    Obstacle judge(int index, Check.Held held, long now) {
        return isHeld(held.lease(), held.owner(), now) ? null : notHeld(index, held.lease(), now);
    }

    private Obstacle notHeld(int index, LeaseName name, long now) {
        return new Obstacle.NotHeld(index, state(name, now));
    }

    LeaseState state(LeaseName name, long now) {
        LeaseSlot slot = known(name, now);
        return slot == null ? new LeaseState(name, List.of(), 0, Duration.ZERO, 0) : slot.state(now);
    }

    @Nullable
    Obstacle judge(int index, LeaseMutation mutation, long now) {
        LeaseSlot slot = known(mutation.lease(), now);
        if (mutation instanceof Take take) return judgeTake(index, slot, take.request(), now);
        if (mutation instanceof Renew renew) {
            return mayRenew(slot, renew, now) ? null : notHeld(index, renew.lease(), now);
        }
        if (mutation instanceof Release release) {
            return isHeld(release.lease(), release.owner(), now) ? null : notHeld(index, release.lease(), now);
        }
        if (mutation instanceof Break broken && broken.token() != null) {
            return holder(slot, broken.token()) != null ? null : notHeld(index, broken.lease(), now);
        }
        return null;
    }

    private @Nullable Obstacle judgeTake(int index, @Nullable LeaseSlot slot, LeaseRequest request, long now) {
        if (slot == null || slot.holds.containsKey(request.owner())) return null;
        if (!slot.holds.isEmpty() && slot.capacity != request.share().capacity()) {
            return new Obstacle.Unfit(index, otherCapacity(slot, request.share()));
        }
        boolean free = !request.owner().equals(slot.lastOwner)
                && (request.evenIfQuiet() || !slot.isQuiet(now))
                && mayTake(slot, request, now);
        return free ? null : new Obstacle.LeaseTaken(index, slot.state(now));
    }

    private static boolean mayRenew(@Nullable LeaseSlot slot, Renew renew, long now) {
        Hold hold = slot == null ? null : slot.holds.get(renew.owner());
        if (hold != null) return !hold.barred;
        Tokens reinstate = renew.reinstate();
        if (reinstate == null) return false;
        return slot == null || (slot.last <= reinstate.last() && !slot.isQuiet(now) && slot.fits(1));
    }

    private static @Nullable Hold holder(@Nullable LeaseSlot slot, long token) {
        if (slot == null) return null;
        for (Hold hold : slot.holds.values()) {
            if (hold.tokens.contains(token)) return hold;
        }
        return null;
    }

    Outcome apply(LeaseMutation mutation, long now, HintList hints) {
        LeaseSlot slot = slot(mutation.lease(), now);
        Outcome outcome = Outcome.DONE;
        if (mutation instanceof Take take) {
            Hold own = slot.holds.get(take.request().owner());
            Hold hold = own != null ? own : grant(slot, take.request(), now);
            if (own != null && !own.barred) {
                own.confirmed = true;
                own.deadline = Math.max(
                        own.deadline, now + LeaseSlot.micros(take.request().ttl()));
            }
            pass(slot, now, hints);
            outcome = new Outcome.Taken(hold.tokens);
        } else if (mutation instanceof Renew renew) {
            renew(slot, renew, now);
            outcome = new Outcome.Renewed(slot.line.size());
        } else if (mutation instanceof Release release) {
            Hold hold = slot.holds.get(release.owner());
            if (hold != null) release(slot, hold, release.quiet(), now, hints);
        } else if (mutation instanceof Leave leave) {
            slot.line.remove(leave.owner());
            Hold hold = slot.holds.get(leave.owner());
            if (hold != null) release(slot, hold, Quiet.NONE, now, hints);
            else pass(slot, now, hints);
        } else if (mutation instanceof Break broken) {
            breakUp(slot, broken, now, hints);
        }
        settle(slot, now);
        return outcome;
    }

    private void renew(LeaseSlot slot, Renew renew, long now) {
        Hold hold = slot.holds.get(renew.owner());
        if (hold != null) {
            hold.deadline = now + LeaseSlot.micros(renew.ttl());
            return;
        }
        Tokens tokens = renew.reinstate();
        if (tokens == null) return;
        Share share = slot.holds.isEmpty() ? Share.WHOLE : new Share(1, slot.capacity);
        slot.grant(renew.owner(), share, tokens, REINSTATED, now, LeaseSlot.micros(renew.ttl()), true);
    }

    private void release(LeaseSlot slot, Hold hold, Quiet quiet, long now, HintList hints) {
        slot.end(hold);
        long time = LeaseSlot.micros(quiet.time());
        if (time > 0) {
            slot.quietUntil = now + time;
            slot.note = quiet.note();
            slot.quietToken = hold.tokens.last();
        }
        interest.freed(slot.name, hints);
        pass(slot, now, hints);
    }

    private void breakUp(LeaseSlot slot, Break broken, long now, HintList hints) {
        Long token = broken.token();
        List<Hold> broke = new ArrayList<>(slot.holds.values());
        if (token != null) broke.removeIf(hold -> !hold.tokens.contains(token));
        if (token == null) {
            slot.quietUntil = 0;
            slot.note = Bytes.EMPTY;
        }
        if (slot.counterUntil > now && !broke.isEmpty()) {
            slot.last++;
            slot.lastOwner = null;
        }
        for (Hold hold : broke) {
            if (broken.atOnce()) slot.end(hold);
            else hold.barred = true;
        }
        if (broken.atOnce()) {
            interest.freed(slot.name, hints);
            pass(slot, now, hints);
        }
    }

    // ---- looking

    List<LeaseState> inspect(Inspection.Leases what, long now) {
        List<LeaseSlot> found = new ArrayList<>();
        for (LeaseSlot slot : slots.values()) {
            slot.expire(now);
            if (slot.isShown(now) && slot.name.name().startsWith(what.prefix())) found.add(slot);
        }
        Comparator<LeaseName> order = Comparator.comparing(LeaseName::name)
                .thenComparing(name -> name.partition().tag());
        found.sort(Comparator.comparing(slot -> slot.name, order));
        LeaseName after = what.after();
        return found.stream()
                .filter(slot -> after == null || order.compare(slot.name, after) > 0)
                .limit(what.limit())
                .map(slot -> slot.state(now))
                .toList();
    }

    int size() {
        return slots.size();
    }

    void clear() {
        slots.clear();
    }
}
