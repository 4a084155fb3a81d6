// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static dev.bellwether.testkit.contract.Altered.capable;
import static dev.bellwether.testkit.contract.Altered.commits;
import static dev.bellwether.testkit.contract.Altered.forgiving;
import static dev.bellwether.testkit.contract.Altered.mutations;
import static dev.bellwether.testkit.contract.Altered.replies;

import dev.bellwether.spi.Capabilities;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.EntryMutation.Count;
import dev.bellwether.spi.EntryMutation.Overflow;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.EntryMutation.Touch;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.Limits;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.RequestId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Backends that get commits, their refusals and their repetition wrong. */
final class CommitBreaches {
    static final List<Breach> ALL = List.of(
            Breach.of("applies half of a refused commit", replies(CommitBreaches::half), Law.ATOMIC, Law.REFUSAL),
            Breach.of("touches what it refuses to change", replies(CommitBreaches::touched), Law.ATOMIC, Law.REFUSAL),
            Breach.of("spans partitions without the power", capable(CommitBreaches::partitioned), Law.PARTITIONS),
            Breach.of("refuses partitions despite the power", RefusesPartitions::new, Law.PARTITIONS),
            Breach.of("ignores versions", checks(c -> !(c instanceof Check.Is)), Law.CHECKS, Law.ATOMIC),
            Breach.of("ignores vacancy", checks(c -> !(c instanceof Check.Vacant)), Law.CHECKS, Law.ATOMIC),
            Breach.of("names only the first obstacle", obstacles(all -> all.subList(0, 1)), Law.CONFLICT),
            Breach.of("numbers mutations from zero", obstacles(CommitBreaches::renumbered), Law.CONFLICT),
            Breach.of("drops the value that was asked for", obstacles(CommitBreaches::valueless), Law.CONFLICT_VALUE),
            Breach.of("shows the value to every check", commits(CommitBreaches::asking), Law.CONFLICT_VALUE),
            Breach.of("adds as floating numbers do", counts(CommitBreaches::rounded), Law.COUNTERS),
            Breach.of("takes the least where the greatest was asked", counts(CommitBreaches::turned), Law.COUNTERS),
            Breach.of(
                    "counts a word from zero", forgiving(Obstacle.Unfit.class, CommitBreaches::counted), Law.COUNTERS),
            Breach.of("always wraps", counts(c -> overflowing(c, Overflow.WRAP)), Law.OVERFLOW),
            Breach.of("always saturates", counts(c -> overflowing(c, Overflow.SATURATE)), Law.OVERFLOW),
            Breach.of("accepts more than its limits", capable(CommitBreaches::limited), Law.SIZES),
            Breach.of("states a value limit it does not keep", capable(CommitBreaches::smallValues), Law.SIZES),
            Breach.of(
                    "applies a commit again that is sent again",
                    commits(c -> new Commit(null, c.checks(), c.mutations())),
                    Law.COMMIT_TWICE,
                    Law.ENQUEUE_TWICE),
            Breach.of(
                    "knows requests by their counter alone",
                    commits(c -> identified(c, id -> new RequestId(1, id.counter()))),
                    Law.COMMIT_TWICE),
            Breach.of("remembers a conflict", RemembersConflicts::new, Law.COMMIT_TWICE),
            Breach.of("enqueues again what is sent again", commits(CommitBreaches::forgetfulQueue), Law.ENQUEUE_TWICE));

    private CommitBreaches() {}

    private static CommitReply half(Altered backend, Commit commit, CommitReply reply) {
        if (reply instanceof CommitReply.Conflict) {
            for (Mutation mutation : commit.mutations()) {
                if (mutation instanceof Put) backend.act(mutation);
            }
        }
        return reply;
    }

    private static CommitReply touched(Altered backend, Commit commit, CommitReply reply) {
        if (reply instanceof CommitReply.Conflict) {
            for (Mutation mutation : commit.mutations()) {
                if (mutation instanceof EntryMutation entry) backend.act(new Touch(entry.key(), Expiry.KEEP));
                if (mutation instanceof Enqueue enqueue && enqueue.bound() != Enqueue.UNBOUNDED) {
                    backend.act(new Enqueue(enqueue.queue(), enqueue.messages(), Enqueue.UNBOUNDED));
                }
            }
        }
        return reply;
    }

    private static Capabilities partitioned(Capabilities all) {
        Set<Power> powers = EnumSet.copyOf(all.powers());
        powers.remove(Power.CROSS_PARTITION);
        return new Capabilities(powers, all.limits());
    }

    private static Capabilities limited(Capabilities all) {
        Limits limits = all.limits();
        return new Capabilities(
                all.powers(), new Limits(limits.maxValueBytes(), limits.maxCommitBytes(), 1_000, limits.memory()));
    }

    private static Capabilities smallValues(Capabilities all) {
        Limits limits = all.limits();
        return new Capabilities(
                all.powers(), new Limits(1_000, limits.maxCommitBytes(), limits.maxOperations(), limits.memory()));
    }

    private static UnaryOperator<KvBackend> checks(Predicate<Check> kept) {
        return commits(commit -> {
            List<Check> checks = new ArrayList<>(commit.checks());
            if (!commit.mutations().isEmpty()) checks.removeIf(kept.negate());
            return new Commit(commit.id(), checks, commit.mutations());
        });
    }

    private static UnaryOperator<KvBackend> obstacles(UnaryOperator<List<Obstacle>> change) {
        return replies((backend, commit, reply) -> reply instanceof CommitReply.Conflict conflict
                ? new CommitReply.Conflict(change.apply(conflict.obstacles()), conflict.now())
                : reply);
    }

    private static List<Obstacle> renumbered(List<Obstacle> all) {
        return all.stream().map(CommitBreaches::fromZero).toList();
    }

    private static Obstacle fromZero(Obstacle obstacle) {
        if (obstacle instanceof Obstacle.Unfit unfit) return new Obstacle.Unfit(0, unfit.reason());
        if (obstacle instanceof Obstacle.NotHeld not) return new Obstacle.NotHeld(0, not.now());
        return obstacle;
    }

    private static List<Obstacle> valueless(List<Obstacle> all) {
        return all.stream()
                .map(obstacle -> obstacle instanceof Obstacle.EntryDiffers there
                        ? new Obstacle.EntryDiffers(
                                there.index(),
                                there.key(),
                                there.version(),
                                there.present(),
                                there.expiresAtMillis(),
                                Optional.empty())
                        : obstacle)
                .toList();
    }

    private static Commit asking(Commit commit) {
        List<Check> checks = commit.checks().stream()
                .map(check -> {
                    if (check instanceof Check.Is is) return new Check.Is(is.key(), is.version(), true);
                    if (check instanceof Check.Vacant vacant) return new Check.Vacant(vacant.key(), true);
                    return check;
                })
                .toList();
        return new Commit(commit.id(), checks, commit.mutations());
    }

    private static UnaryOperator<KvBackend> counts(UnaryOperator<Count> change) {
        return mutations(mutation -> mutation instanceof Count count ? change.apply(count) : mutation);
    }

    private static Count rounded(Count c) {
        return new Count(c.key(), c.op(), (long) (double) c.operand(), c.overflow(), c.expiry());
    }

    private static Count turned(Count c) {
        EntryMutation.Op op = c.op() == EntryMutation.Op.MAX ? EntryMutation.Op.MIN : c.op();
        return new Count(c.key(), op, c.operand(), c.overflow(), c.expiry());
    }

    private static Count overflowing(Count c, Overflow overflow) {
        return new Count(c.key(), c.op(), c.operand(), overflow, c.expiry());
    }

    private static CommitReply counted(Altered backend, Commit commit, CommitReply reply) {
        if (commit.mutations().stream().noneMatch(Count.class::isInstance)) return reply;
        return backend.without(commit, Count.class::isInstance, m -> new Outcome.Counted(((Count) m).operand()));
    }

    private static Commit identified(Commit commit, UnaryOperator<RequestId> change) {
        RequestId id = commit.id();
        return id == null ? commit : new Commit(change.apply(id), commit.checks(), commit.mutations());
    }

    private static Commit forgetfulQueue(Commit commit) {
        boolean enqueues = commit.mutations().stream().anyMatch(Enqueue.class::isInstance);
        return enqueues ? new Commit(null, commit.checks(), commit.mutations()) : commit;
    }

    private static final class RefusesPartitions extends Altered {
        RefusesPartitions(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<CommitReply> commit(Commit commit) {
            long partitions = commit.mutations().stream()
                    .map(m -> m.place().partition())
                    .distinct()
                    .count();
            if (partitions > 1) throw new IllegalArgumentException("a commit across partitions");
            return real.commit(commit);
        }
    }

    private static final class RemembersConflicts extends Altered {
        private final Map<RequestId, CommitReply> conflicts = new HashMap<>();

        RemembersConflicts(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<CommitReply> commit(Commit commit) {
            RequestId id = commit.id();
            if (id == null) return real.commit(commit);
            CommitReply known = conflicts.get(id);
            if (known != null) return CompletableFuture.completedStage(known);
            CommitReply reply = now(real.commit(commit));
            if (reply instanceof CommitReply.Conflict) conflicts.put(id, reply);
            return CompletableFuture.completedStage(reply);
        }
    }
}
