// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.LeaseMutation.Take;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Receipt;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares the two answers to one request, learning on the way what the backend calls things. */
final class Judge {
    /** Lengths beyond this are for ever, however a store cuts them. */
    private static final Duration AGES = Duration.ofDays(36_500);

    private final Dictionary words;
    private final boolean exact;

    /** @param exact whether both share one clock, so that lengths and moments must agree to the microsecond */
    Judge(Dictionary words, boolean exact) {
        this.words = words;
        this.exact = exact;
    }

    /** @param again whether the request was sent before, so that a remembered answer may be an old one */
    void compare(Request<?> request, Object ours, Object theirs, boolean again) {
        if (request instanceof Request.Read) {
            readings((Reading) ours, (Reading) theirs);
        } else if (request instanceof Request.Change change) {
            commits(change.commit(), (CommitReply) ours, (CommitReply) theirs);
        } else if (request instanceof Request.Acquire acquire) {
            acquisitions(acquire.lease().lease(), (Acquisition) ours, (Acquisition) theirs);
        } else if (request instanceof Request.Consume consume) {
            claims(consume.claim().queue(), (Claim) ours, (Claim) theirs);
            if (!again) nextDue((Claim) ours, (Claim) theirs);
        } else if (request instanceof Request.Look<?> look) {
            inspections(look.what(), ours, theirs);
        }
    }

    private static void same(String what, Object ours, Object theirs) {
        if (!Objects.equals(ours, theirs)) throw new Divergence(what, ours, theirs);
    }

    private static void kind(String what, Object ours, Object theirs) {
        if (ours.getClass() != theirs.getClass()) throw new Divergence(what, ours, theirs);
    }

    private void length(String what, Duration ours, Duration theirs) {
        if (!exact || (ours.compareTo(AGES) > 0 && theirs.compareTo(AGES) > 0)) {
            same(what + " is zero", ours.isZero(), theirs.isZero());
        } else {
            same(what, ours, theirs);
        }
    }

    private void moment(String what, Object ours, Object theirs) {
        if (exact) same(what, ours, theirs);
    }

    private void readings(Reading ours, Reading theirs) {
        same("more", ours.more(), theirs.more());
        moment("now", ours.now(), theirs.now());
        same("number of entries", ours.entries().size(), theirs.entries().size());
        for (int i = 0; i < ours.entries().size(); i++)
            entries(ours.entries().get(i), theirs.entries().get(i));
    }

    private void entries(KvEntry ours, KvEntry theirs) {
        same("key", ours.key(), theirs.key());
        kind("kind of entry", ours, theirs);
        words.learn(ours.key(), ours.version(), theirs.version());
        if (ours instanceof KvEntry.Present present) {
            KvEntry.Present other = (KvEntry.Present) theirs;
            same("value", present.value(), other.value());
            same(
                    "has an expiry",
                    present.expiresAtMillis().isPresent(),
                    other.expiresAtMillis().isPresent());
            moment("expiry", present.expiresAtMillis(), other.expiresAtMillis());
        }
    }

    private void commits(Commit commit, CommitReply ours, CommitReply theirs) {
        kind("kind of reply", ours, theirs);
        if (ours instanceof CommitReply.Conflict conflict) {
            obstacles(conflict.obstacles(), ((CommitReply.Conflict) theirs).obstacles());
            return;
        }
        CommitReply.Committed ok = (CommitReply.Committed) ours;
        CommitReply.Committed other = (CommitReply.Committed) theirs;
        same("number of outcomes", ok.outcomes().size(), other.outcomes().size());
        for (int i = 0; i < ok.outcomes().size(); i++) {
            Mutation mutation = commit.mutations().get(i);
            if (mutation instanceof EntryMutation entry) words.learn(entry.key(), ok.version(), other.version());
            outcomes(mutation, ok.outcomes().get(i), other.outcomes().get(i));
        }
    }

    private void outcomes(Mutation mutation, Outcome ours, Outcome theirs) {
        kind("kind of outcome", ours, theirs);
        if (ours instanceof Outcome.Taken taken) {
            words.learn(((Take) mutation).lease(), taken.tokens(), ((Outcome.Taken) theirs).tokens());
        } else if (ours instanceof Outcome.Enqueued enqueued) {
            Outcome.Enqueued other = (Outcome.Enqueued) theirs;
            same("duplicates", enqueued.duplicates(), other.duplicates());
            ids(((Enqueue) mutation).queue(), enqueued.ids(), other.ids());
        } else {
            same("outcome", ours, theirs);
        }
    }

    private void ids(QueueName queue, List<MessageId> ours, List<MessageId> theirs) {
        same("number of ids", ours.size(), theirs.size());
        for (int i = 0; i < ours.size(); i++) words.learn(queue, ours.get(i), theirs.get(i));
    }

    private void obstacles(List<Obstacle> ours, List<Obstacle> theirs) {
        Function<Obstacle, String> gist =
                obstacle -> obstacle.index() + " " + obstacle.getClass().getSimpleName();
        same(
                "obstacles",
                ours.stream().map(gist).toList(),
                theirs.stream().map(gist).toList());
        for (int i = 0; i < ours.size(); i++) obstacle(ours.get(i), theirs.get(i));
    }

    private void obstacle(Obstacle ours, Obstacle theirs) {
        if (ours instanceof Obstacle.EntryDiffers differs) {
            Obstacle.EntryDiffers other = (Obstacle.EntryDiffers) theirs;
            same("key", differs.key(), other.key());
            words.learn(differs.key(), differs.version(), other.version());
            same("present", differs.present(), other.present());
            same("value", differs.value(), other.value());
            moment("expiry", differs.expiresAtMillis(), other.expiresAtMillis());
        } else if (ours instanceof Obstacle.NotHeld held) {
            leases(held.now(), ((Obstacle.NotHeld) theirs).now());
        } else if (ours instanceof Obstacle.LeaseTaken taken) {
            leases(taken.now(), ((Obstacle.LeaseTaken) theirs).now());
        } else if (ours instanceof Obstacle.Stale stale) {
            Obstacle.Stale other = (Obstacle.Stale) theirs;
            same("receipt", words.theirs(stale.receipt()), other.receipt());
            same("state of the message", stale.now(), other.now());
        } else if (ours instanceof Obstacle.QueueFull) {
            same("obstacle", ours, theirs);
        }
    }

    private void leases(LeaseState ours, LeaseState theirs) {
        same("lease", ours.lease(), theirs.lease());
        same("waiting", ours.waiting(), theirs.waiting());
        length("quiet", ours.quiet(), theirs.quiet());
        var others = theirs.holds().stream().collect(Collectors.toMap(LeaseState.Hold::owner, hold -> hold));
        same("number of holds", ours.holds().size(), theirs.holds().size());
        for (LeaseState.Hold hold : ours.holds()) {
            LeaseState.Hold other = others.get(hold.owner());
            if (other == null) throw new Divergence("holds", ours, theirs);
            words.learn(ours.lease(), hold.tokens(), other.tokens());
            same("weight", hold.weight(), other.weight());
            same("confirmed", hold.confirmed(), other.confirmed());
            moment("held", hold.held(), other.held());
            length("remaining", hold.remaining(), other.remaining());
        }
        // Without a counter only the quiet time knows the last token, and a backend need not show it here.
        boolean untold = theirs.lastToken() == 0 && !ours.quiet().isZero();
        if (!untold) same("last token", words.theirs(ours.lease(), ours.lastToken()), theirs.lastToken());
    }

    private void acquisitions(LeaseName lease, Acquisition ours, Acquisition theirs) {
        kind("kind of answer", ours, theirs);
        moment("now", ours.now(), theirs.now());
        if (ours instanceof Acquisition.Granted granted) {
            Acquisition.Granted other = (Acquisition.Granted) theirs;
            words.learn(lease, granted.tokens(), other.tokens());
            same("waiting", granted.waiting(), other.waiting());
        } else if (ours instanceof Acquisition.Found found) {
            entries(found.entry(), ((Acquisition.Found) theirs).entry());
        } else if (ours instanceof Acquisition.Busy busy) {
            Acquisition.Busy other = (Acquisition.Busy) theirs;
            same("place", busy.place(), other.place());
            same("held", busy.holderToken() != 0, other.holderToken() != 0);
            length("remaining", busy.remaining(), other.remaining());
        } else if (ours instanceof Acquisition.Hushed hushed) {
            Acquisition.Hushed other = (Acquisition.Hushed) theirs;
            same("note", hushed.note(), other.note());
            same("last token", words.theirs(lease, hushed.lastToken()), other.lastToken());
            length("remaining", hushed.remaining(), other.remaining());
        }
    }

    private void claims(QueueName queue, Claim ours, Claim theirs) {
        same("settled", ours.settled(), theirs.settled());
        same("number of messages", ours.handouts().size(), theirs.handouts().size());
        for (int i = 0; i < ours.handouts().size(); i++) {
            Claim.Handout hand = ours.handouts().get(i);
            Claim.Handout other = theirs.handouts().get(i);
            Receipt receipt = words.theirs(hand.receipt());
            same("message " + i, new Claim.Handout(receipt, hand.payload(), hand.failures(), hand.crashes()), other);
        }
        Set<MessageId> buried = new HashSet<>();
        ours.buried().forEach(id -> buried.add(words.theirs(queue, id)));
        same("buried", buried, Set.copyOf(theirs.buried()));
    }

    private void nextDue(Claim ours, Claim theirs) {
        same(
                "nothing due",
                ours.nextDue().equals(Claim.NOTHING_DUE),
                theirs.nextDue().equals(Claim.NOTHING_DUE));
        length("next due", ours.nextDue(), theirs.nextDue());
    }

    private void inspections(Inspection<?> what, Object ours, Object theirs) {
        if (what instanceof Inspection.Holding) {
            leases((LeaseState) ours, (LeaseState) theirs);
        } else if (what instanceof Inspection.Leases) {
            Map<LeaseName, LeaseState> others = new HashMap<>();
            ((List<?>) theirs).forEach(each -> others.put(((LeaseState) each).lease(), (LeaseState) each));
            same("number of leases", ((List<?>) ours).size(), others.size());
            for (Object each : (List<?>) ours) {
                LeaseState other = others.get(((LeaseState) each).lease());
                if (other == null) throw new Divergence("leases", ours, theirs);
                leases((LeaseState) each, other);
            }
        } else if (what instanceof Inspection.Figures) {
            figures((Inspection.QueueFigures) ours, (Inspection.QueueFigures) theirs);
        } else if (what instanceof Inspection.OneMessage one) {
            Optional<?> other = (Optional<?>) theirs;
            same("known", ((Optional<?>) ours).isPresent(), other.isPresent());
            ((Optional<?>) ours)
                    .ifPresent(letter ->
                            letters(one.queue(), (Inspection.Letter) letter, (Inspection.Letter) other.orElseThrow()));
        } else if (what instanceof Inspection.Messages messages) {
            letters(messages.queue(), (List<?>) ours, (List<?>) theirs);
        }
    }

    private void figures(Inspection.QueueFigures ours, Inspection.QueueFigures theirs) {
        length("oldest ready", ours.oldestReady(), exact ? theirs.oldestReady() : ours.oldestReady());
        Duration none = Duration.ZERO;
        Function<Inspection.QueueFigures, Inspection.QueueFigures> counts = f -> new Inspection.QueueFigures(
                f.ready(), f.delayed(), f.grouped(), f.running(), f.dead(), none, f.settings());
        same("figures", counts.apply(ours), counts.apply(theirs));
    }

    private void letters(QueueName queue, List<?> ours, List<?> theirs) {
        Map<MessageId, Inspection.Letter> others = new HashMap<>();
        theirs.forEach(each -> others.put(((Inspection.Letter) each).id(), (Inspection.Letter) each));
        same("number of letters", ours.size(), others.size());
        for (Object each : ours) {
            Inspection.Letter letter = (Inspection.Letter) each;
            Inspection.Letter other = others.get(words.theirs(queue, letter.id()));
            if (other == null) throw new Divergence("letters", ours, theirs);
            letters(queue, letter, other);
        }
    }

    private void letters(QueueName queue, Inspection.Letter ours, Inspection.Letter theirs) {
        same("id", words.theirs(queue, ours.id()), theirs.id());
        same("state", ours.state(), theirs.state());
        same("payload", ours.payload(), theirs.payload());
        same(
                "deliveries, failures, crashes",
                List.of(ours.deliveries(), ours.failures(), ours.crashes()),
                List.of(theirs.deliveries(), theirs.failures(), theirs.crashes()));
        same("reason", ours.reason(), theirs.reason());
        same("detail", ours.detail(), theirs.detail());
        moment("enqueued at", ours.enqueuedAtMicros(), theirs.enqueuedAtMicros());
        moment("died at", ours.diedAtMicros(), theirs.diedAtMicros());
        boolean waits = ours.state() == MessageState.DELAYED;
        if (waits) length("due", ours.due(), theirs.due());
    }
}
