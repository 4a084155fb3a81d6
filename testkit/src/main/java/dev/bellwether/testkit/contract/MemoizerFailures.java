// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.LoadFailedException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.memo.Memoizer;
import dev.bellwether.memo.Memoizer.Fallback;
import dev.bellwether.spi.Hint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Loaders that fail, hang, recurse or are interrupted, and stores that cannot be reached. */
abstract class MemoizerFailures extends MemoizerSharing {
    private final Source source = new Source();

    @Test
    void anErrorOfTheLoaderReachesItsCallersAndTheNextCallComputesAtOnceM4() {
        Memoizer<String, String> memo = memoizer(member()).build(source);
        Memoizer<String, String> elsewhere = memoizer(member()).build(source);
        source.fail(new AssertionError("broken"));
        assertThatThrownBy(() -> memo.get("k"))
                .isInstanceOf(LoadFailedException.class)
                .hasCauseInstanceOf(AssertionError.class);
        source.fail(null);
        Duration took = took(() -> assertThat(elsewhere.get("k")).isEqualTo("1"));
        assertThat(took).isLessThan(LEASE.multipliedBy(3));
        assertThat(source.computes()).isEqualTo(2);
    }

    @Test
    void aStackOverflowInTheLoaderReachesAllWhoWaitAndTheNextCallSucceedsM4() {
        AtomicInteger computes = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(1);
        Memoizer<String, String> memo = memoizer(member()).build(key -> {
            if (computes.incrementAndGet() > 1) return "well";
            all.await();
            return "" + depth(0);
        });
        List<CompletableFuture<String>> callers = start(10, () -> memo.get("k"));
        await("somebody computes", () -> computes.get() == 1);
        pass(Duration.ofMillis(100));
        all.countDown();
        assertThat(callers)
                .allSatisfy(caller -> assertThat(failure(caller)).hasCauseInstanceOf(StackOverflowError.class));
        assertThat(memo.get("k")).isEqualTo("well");
    }

    @SuppressWarnings("InfiniteRecursion") // that is its purpose
    private static int depth(int depth) {
        return depth(depth + 1) + 1;
    }

    @Test
    void aLoaderThatAsksForItsOwnKeyIsToldSoAtOnce() {
        AtomicReference<Memoizer<String, String>> self = new AtomicReference<>();
        Memoizer<String, String> memo =
                memoizer(member()).build(key -> self.get().get(key) + "!");
        self.set(memo);
        Duration took = took(() -> assertThatThrownBy(() -> memo.get("k"))
                .isInstanceOf(LoadFailedException.class)
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("asks for its own key"));
        assertThat(took).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void aLoaderThatAsksForItsOwnKeyThroughAnotherMemoizerIsToldSoAtOnce() {
        Member member = member();
        AtomicReference<Memoizer<String, String>> first = new AtomicReference<>();
        Memoizer<String, String> second =
                named(member, "second").build(key -> first.get().get(key));
        first.set(named(member, "first").build(second::get));
        assertThatThrownBy(() -> first.get().get("k")).hasStackTraceContaining("asks for its own key");
    }

    @Test
    void loadersOfTwoThreadsThatWaitForEachOtherAreToldSo() {
        AtomicReference<Memoizer<String, String>> self = new AtomicReference<>();
        CountDownLatch both = new CountDownLatch(2);
        Memoizer<String, String> memo = memoizer(member()).build(key -> {
            both.countDown();
            both.await();
            return self.get().get(key.equals("a") ? "b" : "a");
        });
        self.set(memo);
        CompletableFuture<String> a = start(() -> memo.get("a"));
        CompletableFuture<String> b = start(() -> memo.get("b"));
        assertThat(failure(a)).hasStackTraceContaining("circle");
        assertThat(failure(b)).isInstanceOf(LoadFailedException.class);
    }

    @Test
    void loadersOfTwoProcessesThatWaitForEachOtherEndByTheirDeadlineM5() {
        CountDownLatch both = new CountDownLatch(2);
        List<Memoizer<String, String>> pair = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            AtomicReference<Memoizer<String, String>> self = new AtomicReference<>();
            self.set(memoizer(member()).maxWait(Duration.ofMillis(500)).build(key -> {
                both.countDown();
                both.await();
                return self.get().get(key.equals("a") ? "b" : "a");
            }));
            pair.add(self.get());
        }
        CompletableFuture<String> a = start(() -> pair.get(0).get("a"));
        CompletableFuture<String> b = start(() -> pair.get(1).get("b"));
        assertThat(List.of(failure(a), failure(b)))
                .anySatisfy(end -> assertThat(end).hasRootCauseInstanceOf(WaitTimeoutException.class));
    }

    @Test
    void aLoaderMayAskForOtherKeysEvenWhereTheirHashesCollide() {
        AtomicReference<Memoizer<String, String>> self = new AtomicReference<>();
        self.set(memoizer(member())
                .build(key -> key.startsWith("AaAa") ? self.get().get("BBBB" + key.substring(4)) : key));
        for (int i = 0; i < 300; i++) assertThat(self.get().get("AaAa" + i)).isEqualTo("BBBB" + i);
    }

    @Test
    void aLoaderThatNeverReturnsIsReplacedAtItsLimitM4() {
        Memoizer<String, String> hanging =
                memoizer(member()).atMost(Duration.ofMillis(700)).build(source);
        Memoizer<String, String> heir = memoizer(member()).build(key -> "from the heir");
        source.hold();
        CompletableFuture<String> stuck = start(() -> hanging.get("k"));
        source.awaitBegun();
        assertThat(heir.get("k")).isEqualTo("from the heir");
        source.release();
        assertThat(answer(stuck)).isEqualTo("1");
        assertThat(memoizer(member()).build(key -> "?").get("k")).isEqualTo("from the heir");
    }

    @Test
    void anInterruptedFollowerLeavesAtOnceAndDisturbsNobody() {
        Memoizer<String, String> memo = memoizer(member()).build(source);
        source.hold();
        CompletableFuture<String> leader = start(() -> memo.get("k"));
        source.awaitBegun();
        AtomicReference<Thread> thread = new AtomicReference<>();
        CompletableFuture<Boolean> interrupted = start(() -> {
            thread.set(Thread.currentThread());
            assertThatThrownBy(() -> memo.get("k")).isInstanceOf(CancellationException.class);
            return Thread.currentThread().isInterrupted();
        });
        await("it waits", () -> thread.get() != null);
        pass(Duration.ofMillis(50));
        thread.get().interrupt();
        assertThat(answer(interrupted)).isTrue();
        source.release();
        assertThat(answer(leader)).isEqualTo("1");
        assertThat(source.computes()).isEqualTo(1);
    }

    @Test
    void anInterruptedLeaderHandsTheComputationToWhoWaits() {
        Memoizer<String, String> memo = memoizer(member()).build(source);
        source.hold();
        AtomicReference<Thread> thread = new AtomicReference<>();
        CompletableFuture<Boolean> interrupted = start(() -> {
            thread.set(Thread.currentThread());
            assertThatThrownBy(() -> memo.get("k")).isInstanceOf(CancellationException.class);
            return Thread.currentThread().isInterrupted();
        });
        source.awaitBegun();
        CompletableFuture<String> follower = start(() -> memo.get("k"));
        pass(Duration.ofMillis(50));
        thread.get().interrupt();
        source.awaitBegun();
        source.release();
        assertThat(answer(interrupted)).isTrue();
        assertThat(answer(follower)).isEqualTo("1");
    }

    @Test
    void anInterruptedLeaderThatNobodyFollowsFreesTheKey() {
        Memoizer<String, String> memo = memoizer(member()).build(source);
        source.hold();
        AtomicReference<Thread> thread = new AtomicReference<>();
        CompletableFuture<String> interrupted = start(() -> {
            thread.set(Thread.currentThread());
            return memo.get("k");
        });
        source.awaitBegun();
        thread.get().interrupt();
        assertThat(failure(interrupted)).isInstanceOf(CancellationException.class);
        source.release();
        assertThat(memoizer(member()).build(key -> "next").get("k")).isEqualTo("next");
    }

    @Test
    void cancellingOneOfTenFuturesLeavesTheOthersTheirValueAndOneComputation() {
        Memoizer<String, String> memo = memoizer(member()).build(source);
        source.hold();
        List<CompletableFuture<String>> futures = new ArrayList<>();
        for (int i = 0; i < 10; i++) futures.add(memo.async().get("k"));
        source.awaitBegun();
        assertThat(futures.get(0).cancel(true)).isTrue();
        source.release();
        for (int i = 1; i < 10; i++) assertThat(answer(futures.get(i))).isEqualTo("1");
        assertThat(source.computes()).isEqualTo(1);
    }

    @Test
    void aSaturatedCommonPoolHindersNobodyE2() {
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 2 * ForkJoinPool.commonPool().getParallelism() + 2; i++) {
            ForkJoinPool.commonPool().execute(() -> {
                try {
                    end.await();
                } catch (InterruptedException over) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        try {
            Memoizer<String, String> memo = memoizer(member()).build(source);
            assertThat(answer(memo.async().get("k"))).isEqualTo("1");
            assertThat(memo.get("l")).isEqualTo("1");
        } finally {
            end.countDown();
        }
    }

    // ---- the store cannot be reached

    @Test
    void whileTheStoreIsDownEachKeyIsComputedOncePerProcessAndAnsweredSoon() {
        for (Wire.State down : List.of(Wire.State.CUT, Wire.State.SILENT, Wire.State.DEAF)) {
            Member member = member();
            Source own = new Source();
            Memoizer<String, String> memo = memoizer(member).build(own);
            member.wire().become(down);
            own.hold();
            List<CompletableFuture<String>> callers = start(20, () -> memo.get("during " + down));
            own.awaitBegun();
            pass(Duration.ofMillis(50));
            own.release();
            callers.forEach(caller -> assertThat(answer(caller)).isEqualTo("1"));
            assertThat(own.computes()).as("" + down).isEqualTo(1);
        }
    }

    @Test
    void whileTheStoreIsDownOnlySoManyKeysAreComputedAtOnce() {
        Member member = member();
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Memoizer<String, String> memo = memoizer(member).build(key -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            pass(Duration.ofMillis(20));
            now.decrementAndGet();
            return key;
        });
        member.wire().become(Wire.State.CUT);
        List<CompletableFuture<String>> callers = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            String key = "k" + i;
            callers.add(start(() -> memo.get(key)));
        }
        callers.forEach(caller -> assertThat(answer(caller)).startsWith("k"));
        assertThat(most.get()).isBetween(1, 16);
    }

    @Test
    void closedByChoiceItFailsWhileTheStoreIsDown() {
        Member member = member();
        Memoizer<String, String> memo =
                memoizer(member).whenUnavailable(Fallback.FAIL).build(source);
        member.wire().become(Wire.State.CUT);
        assertThatThrownBy(() -> memo.get("k"))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("memoizer m, key k");
        assertThat(source.computes()).isZero();
    }

    @Test
    void aValueThatNothingIsKnownAgainstStandsInWhileTheStoreIsDown() {
        for (Fallback fallback : List.of(Fallback.STALE, Fallback.COMPUTE)) {
            Member member = member();
            Memoizer<String, String> memo = named(member, "s" + fallback)
                    .whenUnavailable(fallback)
                    .staleIfError(Duration.ofMinutes(5))
                    .build(source);
            String before = memo.get("k");
            await("it is near", () -> memo.toString().contains("1 near"));
            member.wire().become(Wire.State.SILENT);
            member.wire().hint(new Hint.Doubt(1));
            int computes = source.computes();
            assertThat(memo.get("k")).isEqualTo(before);
            assertThat(source.computes()).isEqualTo(computes);
        }
    }

    @Test
    void withoutAStandInStaleFails() {
        Member member = member();
        Memoizer<String, String> memo =
                memoizer(member).whenUnavailable(Fallback.STALE).build(source);
        member.wire().become(Wire.State.CUT);
        assertThatThrownBy(() -> memo.get("k")).isInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void aFailedInvalidationTellsItsCaller() {
        Member member = member();
        Memoizer<String, String> memo = memoizer(member).build(source);
        member.wire().become(Wire.State.CUT);
        assertThatThrownBy(() -> memo.invalidate("k")).isInstanceOf(BackendUnavailableException.class);
        assertThatThrownBy(memo::clear).isInstanceOf(BackendUnavailableException.class);
        assertThatThrownBy(() -> member.bw().invalidateTag("t")).isInstanceOf(BackendUnavailableException.class);
        assertThatThrownBy(() -> memo.put("k", "v")).isInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void aValueThatCannotBeStoredIsReturnedAllTheSame() {
        Member member = member();
        Memoizer<String, String> memo = memoizer(member).build(source);
        source.hold();
        CompletableFuture<String> leader = start(() -> memo.get("k"));
        source.awaitBegun();
        member.wire().become(Wire.State.CUT);
        source.release();
        assertThat(answer(leader)).isEqualTo("1");
    }

    @Test
    void closingTellsWhoWaitsAndHandsTheLeadToTheNext() {
        Member closing = member();
        Memoizer<String, String> a =
                memoizer(closing).lease(Duration.ofSeconds(20)).build(source);
        Memoizer<String, String> b =
                memoizer(member()).lease(Duration.ofSeconds(20)).build(key -> "next");
        source.hold();
        CompletableFuture<String> async = a.async().get("k");
        source.awaitBegun();
        CompletableFuture<String> heir = start(() -> b.get("k"));
        pass(Duration.ofMillis(50));
        closing.bw().close();
        closing.bw().close();
        assertThat(failure(async)).isInstanceOf(ClosedException.class);
        Duration took = took(() -> assertThat(answer(heir)).isEqualTo("next"));
        assertThat(took).isLessThan(Duration.ofSeconds(10));
        source.release();
        assertThatThrownBy(() -> a.get("other")).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> a.invalidate("k")).isInstanceOf(ClosedException.class);
        assertThat(failure(a.async().get("other"))).isInstanceOf(ClosedException.class);
    }
}
