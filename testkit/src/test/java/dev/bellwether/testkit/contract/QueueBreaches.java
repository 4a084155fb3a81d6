// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static dev.bellwether.testkit.contract.Altered.claimed;
import static dev.bellwether.testkit.contract.Altered.claims;
import static dev.bellwether.testkit.contract.Altered.mutations;
import static dev.bellwether.testkit.contract.Altered.replies;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Message.Dedup;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueMutation.Move;
import dev.bellwether.spi.QueueMutation.Remove;
import dev.bellwether.spi.QueueMutation.Tune;
import dev.bellwether.spi.QueueSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Backends that get what a queue holds, and the order of it, wrong. */
final class QueueBreaches {
    static final List<Breach> ALL = List.of(
            Breach.of(
                    "hands a batch out in reverse",
                    claimed(c -> handing(c, reversed(c.handouts()))),
                    Law.FIFO,
                    Law.BANDS),
            Breach.of("enqueues a batch in reverse", mutations(QueueBreaches::backwards), Law.FIFO),
            Breach.of("knows no priorities", messages(m -> with(m, m.delay(), 0, m.group(), m.dedup())), Law.BANDS),
            Breach.of("never ages", tuned(s -> new QueueSettings(s.paused(), Duration.ofDays(1_000))), Law.BANDS),
            Breach.of("delivers a millisecond early", delays(QueueBreaches::shortened), Law.DUE),
            Breach.of(
                    "delivers at once what is due far away",
                    delays(d -> d.toDays() > 36_500 ? Duration.ZERO : d),
                    Law.DUE),
            Breach.of(
                    "runs a group in parallel",
                    messages(m -> with(m, m.delay(), m.band(), null, m.dedup())),
                    Law.GROUPS),
            Breach.of(
                    "takes all groups for one",
                    messages(
                            m -> with(m, m.delay(), m.band(), m.group() == null ? null : Bytes.utf8("one"), m.dedup())),
                    Law.GROUPS),
            Breach.of("forgets deduplication", dedups(dedup -> null), Law.DEDUP),
            Breach.of(
                    "deduplicates too long",
                    dedups(d -> new Dedup(d.key(), d.window().plusMillis(1), d.mode())),
                    Law.DEDUP),
            Breach.of("replaces nothing", dedups(d -> new Dedup(d.key(), d.window(), Dedup.Mode.IGNORE)), Law.DEDUP),
            Breach.of(
                    "ignores the bound",
                    mutations(
                            m -> m instanceof Enqueue e ? new Enqueue(e.queue(), e.messages(), Enqueue.UNBOUNDED) : m),
                    Law.BOUND),
            Breach.of("keeps room for one less than the bound", mutations(QueueBreaches::tight), Law.BOUND),
            Breach.of("hands out more than was asked for", claims(QueueBreaches::greedy), Law.BOUND),
            Breach.of("never pauses", tuned(s -> new QueueSettings(false, s.ageing())), Law.PAUSE),
            Breach.of("says that nothing will be due", claimed(c -> looking(c, Claim.NOTHING_DUE)), Law.NEXT_DUE),
            Breach.of("says that something is due always", claimed(c -> looking(c, Duration.ZERO)), Law.NEXT_DUE),
            Breach.of("leaves a copy behind when it moves", LeavesCopies::new, Law.ONE_PLACE, Law.DEAD_LETTERS),
            Breach.of("counts running messages as ready", CountsTwice::new, Law.ONE_PLACE),
            Breach.of("removes nothing", replies(QueueBreaches::unremoved), Law.DEAD_LETTERS));

    private QueueBreaches() {}

    static Claim handing(Claim claim, List<Claim.Handout> handouts) {
        return new Claim(claim.settled(), handouts, claim.buried(), claim.nextDue(), claim.now());
    }

    private static Claim looking(Claim claim, Duration nextDue) {
        return new Claim(claim.settled(), claim.handouts(), claim.buried(), nextDue, claim.now());
    }

    private static <T> List<T> reversed(List<T> list) {
        List<T> copy = new ArrayList<>(list);
        Collections.reverse(copy);
        return copy;
    }

    private static Mutation backwards(Mutation mutation) {
        return mutation instanceof Enqueue e ? new Enqueue(e.queue(), reversed(e.messages()), e.bound()) : mutation;
    }

    private static Mutation tight(Mutation mutation) {
        if (!(mutation instanceof Enqueue e) || e.bound() == Enqueue.UNBOUNDED || e.bound() == 1) return mutation;
        return new Enqueue(e.queue(), e.messages(), e.bound() - 1);
    }

    private static ClaimRequest greedy(ClaimRequest r) {
        int max = r.max() == 0 ? 0 : Math.min(ClaimRequest.MAX_BATCH, r.max() + 1);
        return new ClaimRequest(r.queue(), r.id(), r.settle(), max, r.lease(), r.idle());
    }

    static UnaryOperator<KvBackend> messages(UnaryOperator<Message> change) {
        return mutations(m -> m instanceof Enqueue e
                ? new Enqueue(e.queue(), e.messages().stream().map(change).toList(), e.bound())
                : m);
    }

    private static Message with(Message m, Duration delay, int band, @Nullable Bytes group, @Nullable Dedup dedup) {
        return new Message(m.payload(), delay, band, group, dedup, m.crashes());
    }

    private static UnaryOperator<KvBackend> delays(UnaryOperator<Duration> change) {
        return messages(m -> with(m, change.apply(m.delay()), m.band(), m.group(), m.dedup()));
    }

    private static Duration shortened(Duration delay) {
        return delay.isZero() ? delay : delay.minusMillis(1);
    }

    private interface Deduplication {
        @Nullable
        Dedup apply(Dedup dedup);
    }

    private static UnaryOperator<KvBackend> dedups(Deduplication change) {
        return messages(m -> {
            Dedup dedup = m.dedup();
            return dedup == null ? m : with(m, m.delay(), m.band(), m.group(), change.apply(dedup));
        });
    }

    private static UnaryOperator<KvBackend> tuned(UnaryOperator<QueueSettings> change) {
        return mutations(m -> m instanceof Tune t ? new Tune(t.queue(), change.apply(t.settings())) : m);
    }

    private static CommitReply unremoved(Altered backend, Commit commit, CommitReply reply) {
        for (Mutation mutation : commit.mutations()) {
            if (mutation instanceof Remove remove && reply instanceof CommitReply.Committed) {
                backend.act(QueueFixture.enqueue(remove.queue(), "undead"));
            }
        }
        return reply;
    }

    private static final class LeavesCopies extends Altered {
        LeavesCopies(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<CommitReply> commit(Commit commit) {
            return real.commit(commit).thenApply(reply -> {
                for (Mutation mutation : commit.mutations()) {
                    if (mutation instanceof Move move && reply instanceof CommitReply.Committed) {
                        act(QueueFixture.enqueue(move.queue(), "copy"));
                    }
                }
                return reply;
            });
        }
    }

    private static final class CountsTwice extends Altered {
        CountsTwice(KvBackend real) {
            super(real);
        }

        @Override
        @SuppressWarnings("unchecked")
        public <R> CompletionStage<R> inspect(Inspection<R> what) {
            if (!(what instanceof Inspection.Figures figures)) return real.inspect(what);
            return (CompletionStage<R>) real.inspect(figures)
                    .thenApply(f -> new Inspection.QueueFigures(
                            f.ready() + f.running(),
                            f.delayed(),
                            f.grouped(),
                            f.running(),
                            f.dead(),
                            f.oldestReady(),
                            f.settings()));
        }
    }
}
