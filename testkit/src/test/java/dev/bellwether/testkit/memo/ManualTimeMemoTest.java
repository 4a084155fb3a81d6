// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.memo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.Bellwether;
import dev.bellwether.memo.Memoizer;
import dev.bellwether.testkit.ManualTime;
import dev.bellwether.testkit.contract.Wire;
import dev.bellwether.testkit.model.ModelBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What users rely on when they test their own memoizers with {@link ManualTime}. */
class ManualTimeMemoTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualTime time = new ManualTime();
    private final ModelBackend store = new ModelBackend(time);
    private final Wire wire = new Wire(store.another());
    private final Bellwether bw = open(wire);
    private final Bellwether other = open(new Wire(store.another()));

    private Bellwether open(Wire behind) {
        return Bellwether.builder().owning(behind).time(time).executor(time).build();
    }

    @AfterEach
    void close() {
        bw.close();
        other.close();
    }

    private Memoizer.Builder<String, Integer> memoizer(Bellwether process, Duration ttl) {
        return process.memoizer("m", String.class, Integer.class).ttl(ttl);
    }

    @Test
    void aRateIsFetchedAgainOnceItsOwnTimeIsOver() {
        AtomicInteger calls = new AtomicInteger();
        Memoizer<String, Integer> rates = bw.memoizer("rates", String.class, Integer.class)
                .ttl((pair, rate) -> MINUTE)
                .staleWhileRevalidate(Duration.ofSeconds(30))
                .staleIfError(Duration.ofHours(1))
                .build(pair -> calls.incrementAndGet());
        assertThat(rates.get("EUR/USD")).isEqualTo(1);
        time.advance(Duration.ofSeconds(61));
        assertThat(rates.get("EUR/USD")).as("stale, but served").isEqualTo(1);
        time.settle();
        assertThat(rates.get("EUR/USD")).isEqualTo(2);
    }

    @Test
    void nothingRunsOutsideSettleAndAdvance() {
        AtomicInteger calls = new AtomicInteger();
        Memoizer<String, Integer> memo = memoizer(bw, MINUTE).build(key -> calls.incrementAndGet());
        CompletableFuture<Integer> future = memo.async().get("k");
        assertThat(calls).hasValue(0);
        assertThat(future).isNotDone();
        time.settle();
        assertThat(future).isCompletedWithValue(1);
    }

    @Test
    void aCallThatOnlyTimeCouldEndFailsAtOnceWithASentence() {
        CompletableFuture<Integer> never = new CompletableFuture<>();
        Memoizer<String, Integer> leader =
                memoizer(other, MINUTE).buildAsync((key, context) -> never).sync();
        CompletableFuture<Integer> leading = leader.async().get("k");
        time.settle();
        Memoizer<String, Integer> follower = memoizer(bw, MINUTE).build(key -> 2);
        assertThatThrownBy(() -> follower.get("k"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("until time moves");
        assertThat(follower.toString()).as("and leaves nothing behind").contains("(0 flights");
        boolean told = never.complete(1);
        time.settle();
        assertThat(told).isTrue();
        assertThat(leading).isCompletedWithValue(1);
        assertThat(follower.get("k")).isEqualTo(1);
    }

    @Test
    void jitterAndChanceAreStillSoThatEveryExpiryIsExact() {
        AtomicInteger calls = new AtomicInteger();
        Memoizer<String, Integer> memo = memoizer(bw, MINUTE).build(key -> {
            time.advance(Duration.ofSeconds(5)); // costly: a candidate for an early refresh
            return calls.incrementAndGet();
        });
        assertThat(memo.get("k")).isEqualTo(1);
        for (int second = 0; second < 59; second++) {
            assertThat(memo.get("k")).isEqualTo(1);
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(calls).hasValue(1);
        time.advance(Duration.ofSeconds(1));
        assertThat(memo.get("k")).isEqualTo(2);
    }

    @Test
    void aStaleValueStandsInWhileTheSourceFailsAndNoLongerThanAllowed() {
        AtomicInteger calls = new AtomicInteger();
        Memoizer<String, Integer> memo = memoizer(bw, MINUTE)
                .staleIfError(Duration.ofMinutes(10))
                .build(key -> {
                    if (calls.incrementAndGet() > 1) throw new IllegalStateException("source down");
                    return 1;
                });
        assertThat(memo.get("k")).isEqualTo(1);
        time.advance(Duration.ofMinutes(5));
        assertThat(memo.get("k")).isEqualTo(1);
        assertThat(calls).hasValue(2);
        time.advance(Duration.ofMinutes(7));
        assertThatThrownBy(() -> memo.get("k")).hasMessageContaining("source down");
    }

    @Test
    void aHardInvalidationLeavesNothingToStandInWhenTheSourceFails() {
        AtomicInteger calls = new AtomicInteger();
        Memoizer<String, Integer> memo = memoizer(bw, MINUTE)
                .staleIfError(Duration.ofMinutes(10))
                .build(key -> {
                    if (calls.incrementAndGet() > 1) throw new IllegalStateException("source down");
                    return 1;
                });
        assertThat(memo.get("k")).isEqualTo(1);
        memo.invalidate("k");
        assertThatThrownBy(() -> memo.get("k")).hasMessageContaining("source down");
    }

    @Test
    void aFailingRenewalInTheBackgroundIsNotTriedOnEachRead() {
        AtomicInteger calls = new AtomicInteger();
        Memoizer<String, Integer> memo = memoizer(bw, MINUTE)
                .staleWhileRevalidate(MINUTE)
                .build(key -> {
                    if (calls.incrementAndGet() > 1) throw new IllegalStateException("source down");
                    return 1;
                });
        assertThat(memo.get("k")).isEqualTo(1);
        time.advance(Duration.ofSeconds(70));
        for (int i = 0; i < 100; i++) {
            assertThat(memo.get("k")).isEqualTo(1);
            time.advance(Duration.ofMillis(10));
        }
        assertThat(calls.get()).as("in one second").isBetween(2, 7);
    }

    @Test
    void renewalsThatTakeLongerThanTheTtlStillAdvanceTheValue() {
        List<CompletableFuture<Integer>> loads = new ArrayList<>();
        Memoizer<String, Integer> memo = memoizer(bw, Duration.ofSeconds(2))
                .staleWhileRevalidate(MINUTE)
                .buildAsync((key, context) -> {
                    CompletableFuture<Integer> load = new CompletableFuture<>();
                    loads.add(load);
                    int number = loads.size();
                    Object unused = time.after(Duration.ofSeconds(10), () -> load.complete(number));
                    return load;
                })
                .sync();
        CompletableFuture<Integer> first = memo.async().get("k");
        time.advance(Duration.ofSeconds(11));
        assertThat(first).isCompletedWithValue(1);
        for (int round = 2; round < 6; round++) {
            time.advance(Duration.ofSeconds(3));
            assertThat(memo.get("k")).isEqualTo(round - 1);
            time.advance(Duration.ofSeconds(10));
            assertThat(memo.get("k")).isEqualTo(round);
        }
    }

    @Test
    void manyKeysLeaveNothingBehindOnceTheyHaveExpired() {
        Memoizer<Integer, Integer> memo = bw.memoizer("many", Integer.class, Integer.class)
                .ttl(Duration.ofSeconds(1))
                .nearCache(10_000)
                .build(key -> key);
        int keys = Integer.getInteger("bellwether.keys", 50_000);
        for (int key = 0; key < keys; key++) {
            if (memo.get(key) != key) throw new AssertionError("key " + key);
            if (key % 1_000 == 0) time.advance(Duration.ofMillis(100));
        }
        time.advance(MINUTE);
        assertThat(memo.toString()).contains("(0 flights, 0 near entries)");
        assertThat(time.step()).as("a task still waits").isFalse();
    }
}
