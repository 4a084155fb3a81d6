// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static dev.bellwether.testkit.contract.Altered.claimed;
import static dev.bellwether.testkit.contract.Altered.claims;
import static dev.bellwether.testkit.contract.Altered.forgiving;
import static dev.bellwether.testkit.contract.Altered.now;
import static dev.bellwether.testkit.contract.QueueBreaches.handing;
import static dev.bellwether.testkit.contract.QueueBreaches.messages;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Message.CrashPolicy;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Bury;
import dev.bellwether.spi.QueueMutation.Extend;
import dev.bellwether.spi.QueueMutation.Move;
import dev.bellwether.spi.QueueMutation.Remove;
import dev.bellwether.spi.QueueMutation.Retry;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.spi.Receipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Backends that get deliveries and their settlement wrong. */
final class DeliveryBreaches {
    private static final Duration DAY = Duration.ofDays(1);

    static final List<Breach> ALL = List.of(
            Breach.of("forgets the last claim", claims(DeliveryBreaches::renewed), Law.CLAIM_TWICE),
            Breach.of("answers a claim that is sent again with nothing", AnswersClaimsOnce::new, Law.CLAIM_TWICE),
            Breach.of("delivers what is running", DeliversTwice::new, Law.ONCE),
            Breach.of("ends a visibility lease early", leases(lease -> lease.minusMillis(1)), Law.ONCE, Law.REDELIVERY),
            Breach.of("never delivers again", leases(lease -> DAY), Law.REDELIVERY),
            Breach.of("counts no crashes", claimed(DeliveryBreaches::uncounted), Law.REDELIVERY),
            Breach.of(
                    "buries nothing that crashes",
                    crashing(c -> new CrashPolicy(Integer.MAX_VALUE, c.delay())),
                    Law.REDELIVERY,
                    Law.DEAD_LETTERS),
            Breach.of(
                    "redelivers without the delay",
                    crashing(c -> new CrashPolicy(c.maxCrashes(), Duration.ZERO)),
                    Law.REDELIVERY),
            Breach.of("says yes to every settlement", claimed(DeliveryBreaches::agreed), Law.STALE, Law.SETTLE_TWICE),
            Breach.of("honours a stale receipt", HonoursStale::new, Law.STALE),
            Breach.of("acknowledges after a failure", AcknowledgesAfterFailure::new, Law.SETTLE_TWICE, Law.STALE),
            Breach.of("refuses a late acknowledgement", RefusesLateAcks::new, Law.LATE_ACK),
            Breach.of(
                    "extends nothing",
                    settling(s -> s instanceof Extend e ? new Extend(e.receipt(), Duration.ofMillis(1)) : s),
                    Law.EXTENSION),
            Breach.of(
                    "retries at once",
                    settling(s -> s instanceof Retry r ? new Retry(r.receipt(), Duration.ZERO, r.failed()) : s),
                    Law.RETRIES),
            Breach.of(
                    "counts no failures",
                    settling(s -> s instanceof Retry r ? new Retry(r.receipt(), r.delay(), false) : s),
                    Law.RETRIES),
            Breach.of(
                    "counts what did not fail",
                    settling(s -> s instanceof Retry r ? new Retry(r.receipt(), r.delay(), true) : s),
                    Law.RETRIES),
            Breach.of(
                    "loses dead letters",
                    settling(s -> s instanceof Bury b ? new Ack(b.receipt()) : s),
                    Law.DEAD_LETTERS),
            Breach.of(
                    "forgets why a message died",
                    settling(s -> s instanceof Bury b ? new Bury(b.receipt(), "", Bytes.EMPTY) : s),
                    Law.DEAD_LETTERS),
            Breach.of(
                    "buries nothing",
                    settling(s -> s instanceof Bury b ? new Retry(b.receipt(), Duration.ZERO, true) : s),
                    Law.DEAD_LETTERS),
            Breach.of(
                    "applies effects of a stale delivery",
                    forgiving(Obstacle.Stale.class, DeliveryBreaches::effective),
                    Law.EFFECTS),
            Breach.of("forgets to check a delivery", Altered.commits(DeliveryBreaches::unchecked), Law.EFFECTS),
            Breach.of(
                    "settles though the commit is refused",
                    Altered.replies(DeliveryBreaches::settledAnyway),
                    Law.EFFECTS,
                    Law.ATOMIC),
            Breach.of("settles only the first of a claim", SettlesOne::new, Law.BOUND));

    private DeliveryBreaches() {}

    private static ClaimRequest renewed(ClaimRequest r) {
        return new ClaimRequest(r.queue(), Altered.freshId(), r.settle(), r.max(), r.lease(), r.idle());
    }

    private static ClaimRequest settling(ClaimRequest r, List<Settlement> settle) {
        return new ClaimRequest(r.queue(), r.id(), settle, r.max(), r.lease(), r.idle());
    }

    private static UnaryOperator<KvBackend> leases(UnaryOperator<Duration> change) {
        return claims(r -> new ClaimRequest(r.queue(), r.id(), r.settle(), r.max(), change.apply(r.lease()), r.idle()));
    }

    private static Claim uncounted(Claim claim) {
        return handing(
                claim,
                claim.handouts().stream()
                        .map(h -> new Claim.Handout(h.receipt(), h.payload(), h.failures(), 0))
                        .toList());
    }

    private static UnaryOperator<KvBackend> crashing(UnaryOperator<CrashPolicy> change) {
        return messages(
                m -> new Message(m.payload(), m.delay(), m.band(), m.group(), m.dedup(), change.apply(m.crashes())));
    }

    private static Claim agreed(Claim claim) {
        List<Boolean> yes = Collections.nCopies(claim.settled().size(), true);
        return new Claim(yes, claim.handouts(), claim.buried(), claim.nextDue(), claim.now());
    }

    /** Settles otherwise, in claims and in commits. */
    private static UnaryOperator<KvBackend> settling(UnaryOperator<Settlement> change) {
        return real -> new Resettling(real) {
            @Override
            Settlement changed(Settlement settlement) {
                return change.apply(settlement);
            }
        };
    }

    private static CommitReply effective(Altered backend, Commit commit, CommitReply reply) {
        return backend.without(
                new Commit(null, List.of(), commit.mutations()),
                Settlement.class::isInstance,
                mutation -> Outcome.DONE);
    }

    private static Commit unchecked(Commit commit) {
        List<Check> checks = new ArrayList<>(commit.checks());
        if (!commit.mutations().isEmpty()) checks.removeIf(Check.Current.class::isInstance);
        return new Commit(commit.id(), checks, commit.mutations());
    }

    private static CommitReply settledAnyway(Altered backend, Commit commit, CommitReply reply) {
        if (reply instanceof CommitReply.Conflict) {
            for (Mutation mutation : commit.mutations()) {
                if (!(mutation instanceof Move)) backend.act(mutation);
            }
        }
        return reply;
    }

    private abstract static class Resettling extends Altered {
        Resettling(KvBackend real) {
            super(real);
        }

        abstract Settlement changed(Settlement settlement);

        @Override
        public CompletionStage<Claim> claim(ClaimRequest request) {
            return real.claim(settling(
                    request, request.settle().stream().map(this::changed).toList()));
        }

        @Override
        public CompletionStage<CommitReply> commit(Commit commit) {
            List<Mutation> changed = new ArrayList<>();
            for (Mutation mutation : commit.mutations()) {
                changed.add(mutation instanceof Settlement settlement ? changed(settlement) : mutation);
            }
            return real.commit(new Commit(commit.id(), commit.checks(), changed));
        }
    }

    private static final class HonoursStale extends Resettling {
        HonoursStale(KvBackend real) {
            super(real);
        }

        @Override
        Settlement changed(Settlement settlement) {
            Receipt stale = settlement.receipt();
            Receipt current = now(real.inspect(new Inspection.OneMessage(stale.queue(), stale.id())))
                    .map(letter -> new Receipt(stale.queue(), stale.id(), letter.deliveries()))
                    .orElse(stale);
            if (settlement instanceof Ack) return new Ack(current);
            if (settlement instanceof Retry r) return new Retry(current, r.delay(), r.failed());
            if (settlement instanceof Bury b) return new Bury(current, b.reason(), b.detail());
            if (settlement instanceof Extend e) return new Extend(current, e.lease());
            return settlement;
        }
    }

    /** Hides some settlements from the store, and answers for them itself. */
    private abstract static class Intercepting extends Altered {
        Intercepting(KvBackend real) {
            super(real);
        }

        /** What to answer instead of asking the store, or empty. */
        abstract Optional<Boolean> verdict(ClaimRequest request, int index);

        void after(ClaimRequest request, Claim claim) {}

        @Override
        public CompletionStage<Claim> claim(ClaimRequest request) {
            List<Settlement> kept = new ArrayList<>();
            Map<Integer, Boolean> verdicts = new HashMap<>();
            for (int i = 0; i < request.settle().size(); i++) {
                int index = i;
                verdict(request, i)
                        .ifPresentOrElse(
                                yes -> verdicts.put(index, yes),
                                () -> kept.add(request.settle().get(index)));
            }
            Claim claim = now(real.claim(settling(request, kept)));
            List<Boolean> settled = new ArrayList<>();
            int next = 0;
            for (int i = 0; i < request.settle().size(); i++) {
                Boolean verdict = verdicts.get(i);
                settled.add(verdict != null ? verdict : claim.settled().get(next++));
            }
            after(request, claim);
            return CompletableFuture.completedStage(
                    new Claim(settled, claim.handouts(), claim.buried(), claim.nextDue(), claim.now()));
        }
    }

    private static final class AcknowledgesAfterFailure extends Intercepting {
        private final Set<Receipt> given = new HashSet<>();

        AcknowledgesAfterFailure(KvBackend real) {
            super(real);
        }

        @Override
        Optional<Boolean> verdict(ClaimRequest request, int index) {
            Settlement settlement = request.settle().get(index);
            if (settlement instanceof Retry retry) given.add(retry.receipt());
            if (!(settlement instanceof Ack ack) || !given.contains(ack.receipt())) return Optional.empty();
            act(new Remove(ack.queue(), ack.receipt().id()));
            return Optional.of(true);
        }
    }

    private static final class RefusesLateAcks extends Intercepting {
        private final Map<Receipt, Long> ends = new HashMap<>();

        RefusesLateAcks(KvBackend real) {
            super(real);
        }

        @Override
        Optional<Boolean> verdict(ClaimRequest request, int index) {
            Settlement settlement = request.settle().get(index);
            Long end = ends.get(settlement.receipt());
            Query look = new Query.Keys(List.of(KvKey.of(request.queue().name())), false);
            boolean late = end != null && now(real.read(look)).now().micros() >= end;
            return settlement instanceof Ack && late ? Optional.of(false) : Optional.empty();
        }

        @Override
        void after(ClaimRequest request, Claim claim) {
            long end = claim.now().micros() + request.lease().toMillis() * 1_000;
            for (Claim.Handout handout : claim.handouts()) ends.put(handout.receipt(), end);
        }
    }

    private static final class SettlesOne extends Intercepting {
        SettlesOne(KvBackend real) {
            super(real);
        }

        @Override
        Optional<Boolean> verdict(ClaimRequest request, int index) {
            return index == 0 ? Optional.empty() : Optional.of(true);
        }
    }

    private static final class AnswersClaimsOnce extends Altered {
        private final Set<Object> seen = new HashSet<>();

        AnswersClaimsOnce(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<Claim> claim(ClaimRequest request) {
            Function<Claim, Claim> answer = request.id() == null || seen.add(request.id())
                    ? Function.identity()
                    : claim -> handing(claim, List.of());
            return real.claim(request).thenApply(answer);
        }
    }

    private static final class DeliversTwice extends Altered {
        private final List<Claim.Handout> before = new ArrayList<>();

        DeliversTwice(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<Claim> claim(ClaimRequest request) {
            return real.claim(request).thenApply(claim -> {
                if (request.max() == 0) return claim;
                if (claim.handouts().isEmpty() && !before.isEmpty()) return handing(claim, before.subList(0, 1));
                before.addAll(claim.handouts());
                return claim;
            });
        }
    }
}
