// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.error.LoadFailedException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.memo.Memoizer;
import dev.bellwether.memo.Memoizer.Fallback;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.time.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One computes, all get it: the ten guarantees for the recipe that this library grew from, and the lease behind them. */
abstract class MemoizerSharing extends MemoFleet {
    private final Source source = new Source();

    @Test
    void fiftyCallersCauseOneComputationLongerThanTheLeaseAndAllGetItsValueM1() {
        List<Memoizer<String, String>> fleet = new ArrayList<>();
        for (int i = 0; i < 4; i++) fleet.add(memoizer(member()).build(source));
        source.hold();
        List<CompletableFuture<String>> callers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Memoizer<String, String> one = fleet.get(i % fleet.size());
            callers.add(start(() -> one.get("k")));
        }
        source.awaitBegun();
        pass(LEASE.multipliedBy(3));
        source.release();
        assertThat(callers).allSatisfy(caller -> assertThat(answer(caller)).isEqualTo("1"));
        assertThat(source.computes()).isEqualTo(1);
    }

    @Test
    void followersElsewhereAreWokenByThePublication() {
        Memoizer<String, String> a =
                memoizer(member()).lease(Duration.ofSeconds(20)).build(source);
        Memoizer<String, String> b =
                memoizer(member()).lease(Duration.ofSeconds(20)).build(source);
        source.hold();
        CompletableFuture<String> leader = start(() -> a.get("k"));
        source.awaitBegun();
        CompletableFuture<String> follower = start(() -> b.get("k"));
        pass(Duration.ofMillis(100));
        Duration took = took(() -> {
            source.release();
            assertThat(answer(follower)).isEqualTo("1");
        });
        assertThat(answer(leader)).isEqualTo("1");
        assertThat(took)
                .as("far less than the leader's term, which a lost wake-up costs")
                .isLessThan(LEASE.multipliedBy(5));
        assertThat(source.computes()).isEqualTo(1);
    }

    @Test
    void manyFreshKeysOnTwoProcessesAreEachComputedOnceM1() {
        Set<String> computed = ConcurrentHashMap.newKeySet();
        AtomicInteger computes = new AtomicInteger();
        List<Memoizer<Integer, String>> both = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            both.add(member().bw()
                    .memoizer("n", Integer.class, String.class)
                    .ttl(Duration.ofMinutes(5))
                    .build(key -> {
                        computes.incrementAndGet();
                        computed.add("" + key);
                        return "" + key;
                    }));
        }
        int keys = 1_000;
        List<CompletableFuture<Boolean>> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Memoizer<Integer, String> one = both.get(i % 2);
            clients.add(start(() -> {
                for (int key = 0; key < keys; key++) assertThat(one.get(key)).isEqualTo("" + key);
                return true;
            }));
        }
        clients.forEach(client -> assertThat(answer(client)).isTrue());
        assertThat(computed).hasSize(keys);
        assertThat(computes).hasValue(keys);
    }

    @Test
    void aDeadLeaderIsReplacedWithinItsLeaseAndAQuarterSecondM4() {
        Member a = member();
        Memoizer<String, String> dying = memoizer(a).build(source);
        Memoizer<String, String> heir = memoizer(member()).build(key -> "from the heir");
        source.hold();
        CompletableFuture<String> dead = start(() -> dying.get("k"));
        source.awaitBegun();
        a.wire().become(Wire.State.SILENT);
        Duration took = took(() -> assertThat(heir.get("k")).isEqualTo("from the heir"));
        assertThat(took).isLessThan(LEASE.plusMillis(250).plusMillis(500)); // half a second for a busy machine
        source.release();
        assertThat(answer(dead)).as("its callers still get what it computed").isEqualTo("1");
        Memoizer<String, String> reader = memoizer(member()).build(key -> "nobody's");
        assertThat(reader.get("k")).as("the late fill was refused").isEqualTo("from the heir");
    }

    @Test
    void aReleaseByAStrangerChangesNothingAndSaysSoL3() {
        Member a = member();
        Memoizer<String, String> memo = memoizer(a).build(source);
        KvKey[] key = new KvKey[1];
        a.wire()
                .watch(commit -> commit.mutations().forEach(mutation -> {
                    if (mutation instanceof Put put && commit.mutations().size() == 2) key[0] = put.key();
                }));
        assertThat(memo.get("k")).isEqualTo("1");
        memo.invalidate("k");
        source.hold();
        CompletableFuture<String> leader = start(() -> memo.get("k"));
        source.awaitBegun();
        source.awaitBegun();
        LeaseName lease = new LeaseName(key[0].partition(), key[0].name());
        CommitReply reply = a.wire()
                .commit(Commit.of(new Release(lease, new Owner(1, 1), Quiet.NONE)))
                .toCompletableFuture()
                .join();
        assertThat(reply).isInstanceOf(CommitReply.Conflict.class);
        source.release();
        assertThat(answer(leader)).isEqualTo("1");
        assertThat(memoizer(member()).build(unused -> "other").get("k")).isEqualTo("1");
    }

    @Test
    void whoIsGrantedTheLeaseAfterAFillFindsTheValueInsteadOfComputing() {
        Memoizer<String, String> a = memoizer(member()).build(source);
        Member second = member();
        Memoizer<String, String> b = memoizer(second).build(key -> "computed again");
        source.hold();
        CompletableFuture<String> leader = start(() -> a.get("k"));
        source.awaitBegun();
        second.wire().pass(hint -> false); // it learns of the fill only by asking for the lease
        CompletableFuture<String> follower = start(() -> b.get("k"));
        pass(Duration.ofMillis(100));
        source.release();
        assertThat(answer(leader)).isEqualTo("1");
        assertThat(answer(follower)).isEqualTo("1");
    }

    @Test
    void theLastLookHappensAtTheDeadlineM5() {
        Memoizer<String, String> a =
                memoizer(member()).lease(Duration.ofSeconds(20)).build(source);
        Member second = member();
        Memoizer<String, String> b = memoizer(second)
                .lease(Duration.ofSeconds(20))
                .maxWait(Duration.ofMillis(700))
                .build(key -> "computed again");
        source.hold();
        CompletableFuture<String> leader = start(() -> a.get("k"));
        source.awaitBegun();
        second.wire().pass(hint -> false);
        CompletableFuture<String> follower = start(() -> b.get("k"));
        pass(Duration.ofMillis(200));
        source.release();
        assertThat(answer(leader)).isEqualTo("1");
        Duration took = took(() -> assertThat(answer(follower)).isEqualTo("1"));
        assertThat(took).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void aFollowerWhoseWaitEndsIsToldByWhomAndWhatToDoM5() {
        Memoizer<String, String> a = memoizer(member()).build(source);
        Memoizer<String, String> b = memoizer(member())
                .maxWait(Duration.ofMillis(100))
                .whenExhausted(Fallback.FAIL)
                .build(source);
        source.hold();
        CompletableFuture<String> leader = start(() -> a.get("k"));
        source.awaitBegun();
        assertThatThrownBy(() -> b.get("k"))
                .isInstanceOf(WaitTimeoutException.class)
                .hasMessageContaining("memoizer m, key k")
                .hasMessageContaining("100 ms")
                .hasMessageContaining("maxWait");
        source.release();
        assertThat(answer(leader)).isEqualTo("1");
        assertThat(source.computes()).isEqualTo(1);
    }

    @Test
    void aFollowerMayComputeAloneWhenItsWaitEndsOncePerProcessAndWithoutStoring() {
        Memoizer<String, String> a = memoizer(member()).build(source);
        Source own = new Source();
        own.write("own");
        Memoizer<String, String> b = memoizer(member())
                .maxWait(Duration.ofMillis(100))
                .whenExhausted(Fallback.COMPUTE)
                .build(own);
        source.hold();
        own.hold();
        CompletableFuture<String> leader = start(() -> a.get("k"));
        source.awaitBegun();
        List<CompletableFuture<String>> followers = start(10, () -> b.get("k"));
        own.awaitBegun();
        pass(Duration.ofMillis(200));
        own.release();
        assertThat(followers)
                .allSatisfy(follower -> assertThat(answer(follower)).isEqualTo("own"));
        assertThat(own.computes()).isEqualTo(1);
        source.release();
        assertThat(answer(leader)).isEqualTo("1");
        assertThat(b.get("k")).isEqualTo("1");
    }

    @Test
    void everyScheduleOfLooksFindsTheValue() {
        List<Backoff> schedules = List.of(
                Backoff.fixed(Duration.ofMillis(20)),
                Backoff.fixed(Duration.ZERO),
                Backoff.linear(Duration.ofMillis(10), Duration.ofMillis(10)),
                Backoff.exponential(Duration.ofMillis(5), Duration.ofMillis(100)),
                Backoff.exponential(Duration.ofMillis(5), Duration.ofMillis(100))
                        .jittered(),
                Backoff.exponential(Duration.ofMillis(5), Duration.ofMillis(100))
                        .halfJittered(),
                Backoff.decorrelated(Duration.ofMillis(5), Duration.ofMillis(100)),
                Backoff.schedule(Duration.ofMillis(10), Duration.ofMillis(30)),
                Backoff.of(attempt -> 7L * attempt),
                Backoff.deno(),
                Backoff.recipe());
        Member leading = member();
        Member following = member();
        for (int i = 0; i < schedules.size(); i++) {
            Source slow = new Source();
            String name = "schedule" + i;
            Memoizer<String, String> a = named(leading, name).build(slow);
            Memoizer<String, String> b =
                    named(following, name).polling(schedules.get(i)).build(slow);
            slow.hold();
            CompletableFuture<String> leader = start(() -> a.get("k"));
            slow.awaitBegun();
            CompletableFuture<String> follower = start(() -> b.get("k"));
            pass(Duration.ofMillis(60));
            slow.release();
            assertThat(answer(leader)).isEqualTo("1");
            assertThat(answer(follower)).as(name).isEqualTo("1");
            assertThat(slow.computes()).isEqualTo(1);
        }
    }

    @Test
    void aLimitedScheduleEndsTheWaitAfterItsLastLook() {
        Memoizer<String, String> a = memoizer(member()).build(source);
        Memoizer<String, String> b = memoizer(member())
                .polling(Backoff.fixed(Duration.ofMillis(30)).limit(3))
                .whenExhausted(Fallback.FAIL)
                .build(source);
        source.hold();
        CompletableFuture<String> leader = start(() -> a.get("k"));
        source.awaitBegun();
        Duration took = took(() -> assertThatThrownBy(() -> b.get("k")).isInstanceOf(WaitTimeoutException.class));
        assertThat(took).isBetween(Duration.ofMillis(89), Duration.ofSeconds(10));
        source.release();
        assertThat(answer(leader)).isEqualTo("1");
    }

    @Test
    void eachCallerOfAFlightHasItsOwnDeadlineM5() {
        Memoizer<String, String> a = memoizer(member()).build(source);
        Member second = member();
        Memoizer<String, String> b = memoizer(second)
                .maxWait(Duration.ofMillis(400))
                .whenExhausted(Fallback.FAIL)
                .build(source);
        source.hold();
        CompletableFuture<String> leader = start(() -> a.get("k"));
        source.awaitBegun();
        CompletableFuture<String> early = start(() -> b.get("k"));
        pass(Duration.ofMillis(300));
        CompletableFuture<String> late = start(() -> b.get("k"));
        assertThat(failure(early)).isInstanceOf(WaitTimeoutException.class);
        source.release();
        assertThat(answer(late)).isEqualTo("1");
        assertThat(answer(leader)).isEqualTo("1");
    }

    @Test
    void aFailureReachesThoseWhoHadJoinedInEveryProcessAndNobodyRetriesM4() {
        Memoizer<String, String> a = memoizer(member()).build(source);
        Memoizer<String, String> b = memoizer(member()).build(source);
        source.hold();
        List<CompletableFuture<String>> callers = new ArrayList<>(start(10, () -> a.get("k")));
        source.awaitBegun();
        callers.addAll(start(10, () -> b.get("k")));
        pass(Duration.ofMillis(150));
        source.fail(new java.io.IOException("source down"));
        Duration took = took(() -> {
            source.release();
            for (CompletableFuture<String> caller : callers) {
                assertThat(failure(caller)).isInstanceOfSatisfying(LoadFailedException.class, failed -> {
                    assertThat(failed).hasMessageContaining("source down");
                    assertThat(failed.causedBy(java.io.IOException.class)).isTrue();
                    assertThat(failed.causedBy(IllegalStateException.class)).isFalse();
                });
            }
        });
        assertThat(took).isLessThan(LEASE.multipliedBy(5));
        assertThat(source.computes()).isEqualTo(1);
        source.fail(null);
        assertThat(new HashSet<>(List.of(a.get("k"), b.get("k")))).containsExactly("1");
        assertThat(source.computes()).isEqualTo(2);
    }

    @Test
    void afterAFailureManyNewCallersCauseOneNewComputation() {
        Memoizer<String, String> memo = memoizer(member()).build(source);
        source.fail(new IllegalStateException("once"));
        assertThatThrownBy(() -> memo.get("k")).isInstanceOf(LoadFailedException.class);
        source.fail(null);
        source.hold();
        List<CompletableFuture<String>> callers = start(50, () -> memo.get("k"));
        source.awaitBegun();
        source.awaitBegun();
        source.release();
        callers.forEach(caller -> assertThat(answer(caller)).isEqualTo("1"));
        assertThat(source.computes()).isEqualTo(2);
    }

    static Memoizer.Builder<String, String> named(Member member, String name) {
        return member.bw()
                .memoizer(name, String.class, String.class)
                .ttl(Duration.ofMinutes(10))
                .lease(LEASE);
    }
}
