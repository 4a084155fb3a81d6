// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.lock;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.spi.Subscription;
import dev.bellwether.spi.Tokens;
import dev.bellwether.spi.Version;
import dev.bellwether.testkit.lock.LockWorld.Use;
import dev.bellwether.testkit.sim.Faults;
import dev.bellwether.testkit.sim.SimProcess;
import dev.bellwether.testkit.sim.SimWorld;
import dev.bellwether.testkit.sim.Simulations;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Engines made wrong on purpose, each in the way of a known fault of lock libraries: the simulations see every one. */
class BrokenEnginesTest {
    private static final int MOST = 1_500;

    private static void play(SimWorld world, Use use, BiFunction<SimProcess, KvBackend, KvBackend> wrong) {
        LockWorld locks =
                new LockWorld(world, use, wrong).member("A", 2).member("B", 2).member("C", 1);
        world.run(Duration.ofSeconds(5));
        locks.checkHistory();
        locks.stop();
    }

    private static void isSeen(Use use, Faults faults, BiFunction<SimProcess, KvBackend, KvBackend> wrong, String law) {
        assertThatThrownBy(() -> Simulations.explore(MOST, 1, faults, world -> play(world, use, wrong)))
                .isInstanceOf(AssertionError.class)
                .hasMessageFindingMatch(law);
    }

    private static CompletionStage<CommitReply> pretended(SimProcess process, Outcome outcome) {
        return CompletableFuture.completedFuture(new CommitReply.Committed(
                Version.NONE, List.of(outcome), StoreTime.exact(process.timer().epochMicros())));
    }

    private static Mutation first(Commit commit) {
        return commit.mutations().get(0);
    }

    @Test
    void anEngineThatForgetsToRenewIsSeen() {
        isSeen(Use.EXCLUSIVE, Faults.none(), ForgetsToRenew::new, "L1");
    }

    private static final class ForgetsToRenew extends Wrong {
        ForgetsToRenew(SimProcess process, KvBackend inner) {
            super(process, inner);
        }

        @Override
        public CompletionStage<CommitReply> commit(Commit commit) {
            return first(commit) instanceof Renew ? pretended(process, new Outcome.Renewed(0)) : super.commit(commit);
        }
    }

    @Test
    void anEngineThatTakesAHintForAGrantIsSeen() {
        isSeen(Use.FAIR, Faults.mild(), TakesAHintForAGrant::new, "L");
    }

    private static final class TakesAHintForAGrant extends Wrong {
        private final Set<Owner> hinted = new HashSet<>();

        TakesAHintForAGrant(SimProcess process, KvBackend inner) {
            super(process, inner);
        }

        @Override
        public Subscription listen(Consumer<? super Hint> listener) {
            return super.listen(hint -> {
                if (hint instanceof Hint.Passed passed) hinted.add(passed.owner());
                listener.accept(hint);
            });
        }

        @Override
        public CompletionStage<Acquisition> acquire(LeaseRequest request) {
            if (!hinted.remove(request.owner())) return super.acquire(request);
            StoreTime now = StoreTime.exact(process.timer().epochMicros());
            Tokens tokens = new Tokens(now.micros(), now.micros() + request.tokens() - 1);
            return CompletableFuture.completedFuture(new Acquisition.Granted(tokens, 0, now));
        }
    }

    @Test
    void anEngineThatCountsAnOldAnswerFromANewQuestionIsSeen() {
        Faults slow = Faults.builder().slow(0.3, Duration.ofMillis(1_500)).build();
        isSeen(Use.EXCLUSIVE, slow, CountsFromTheAnswer::new, "L1|L2");
    }

    /** Its deadline runs from when the answer came: as if the question had been asked only then. */
    private static final class CountsFromTheAnswer extends Wrong {
        private final Map<Owner, Acquisition.Granted> answers = new HashMap<>();
        private final Set<Owner> asked = new HashSet<>();

        CountsFromTheAnswer(SimProcess process, KvBackend inner) {
            super(process, inner);
        }

        @Override
        public CompletionStage<Acquisition> acquire(LeaseRequest request) {
            Acquisition.Granted known = answers.remove(request.owner());
            if (known != null) return CompletableFuture.completedFuture(known);
            if (!asked.add(request.owner())) return new CompletableFuture<>();
            return super.acquire(request).thenApply(answer -> {
                asked.remove(request.owner());
                if (answer instanceof Acquisition.Granted granted) answers.put(request.owner(), granted);
                return answer;
            });
        }
    }

    @Test
    void anEngineThatReleasesByNameIsSeen() {
        isSeen(Use.EXCLUSIVE, Faults.wild(), ReleasesByName::new, "L1");
    }

    private static final class ReleasesByName extends Wrong {
        ReleasesByName(SimProcess process, KvBackend inner) {
            super(process, inner);
        }

        @Override
        public CompletionStage<CommitReply> commit(Commit commit) {
            return first(commit) instanceof Release release
                    ? super.commit(Commit.of(new Break(release.lease(), null, true)))
                    : super.commit(commit);
        }
    }

    @Test
    void anEngineThatStrandsWhatWasCancelledIsSeen() {
        Faults slow = Faults.builder().slow(0.1, Duration.ofMillis(250)).build();
        assertThatThrownBy(() -> Simulations.explore(MOST, 1, slow, world -> {
                    LockWorld locks = new LockWorld(world, Use.EXCLUSIVE, StrandsGrants::new)
                            .member("A", 2)
                            .member("B", 2);
                    world.run(Duration.ofSeconds(3));
                    locks.stop();
                    world.run(Duration.ofSeconds(4));
                    locks.checkStoreIsFree();
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("L6");
    }

    private static final class StrandsGrants extends Wrong {
        StrandsGrants(SimProcess process, KvBackend inner) {
            super(process, inner);
        }

        @Override
        public CompletionStage<CommitReply> commit(Commit commit) {
            return first(commit) instanceof Leave ? pretended(process, Outcome.DONE) : super.commit(commit);
        }
    }

    @Test
    void anEngineThatHandsOutOneFenceTwiceIsSeen() {
        isSeen(Use.EXCLUSIVE, Faults.none(), RepeatsFences::new, "L2");
    }

    private static final class RepeatsFences extends Wrong {
        RepeatsFences(SimProcess process, KvBackend inner) {
            super(process, inner);
        }

        @Override
        public CompletionStage<Acquisition> acquire(LeaseRequest request) {
            return super.acquire(request)
                    .thenApply(answer -> answer instanceof Acquisition.Granted granted
                            ? new Acquisition.Granted(
                                    new Tokens(1, granted.tokens().last()), 0, granted.now())
                            : answer);
        }
    }
}
