// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.codec.Codec;
import dev.bellwether.codec.Codecs;
import dev.bellwether.error.LoadFailedException;
import dev.bellwether.memo.Memoizer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is remembered, for how long, how it ends, and what callers may ask. */
abstract class MemoizerValues extends MemoizerFailures {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final Source source = new Source();

    private <V extends @Nullable Object> void isComputedOnce(String name, Codec<V> codec, V value) {
        AtomicInteger computes = new AtomicInteger();
        for (int i = 0; i < 2; i++) {
            Memoizer<String, V> memo = member().bw()
                    .memoizer(name, String.class, codec)
                    .ttl(LONG)
                    .build(key -> {
                        computes.incrementAndGet();
                        return value;
                    });
            for (int j = 0; j < 3; j++) assertThat(memo.get("k")).isEqualTo(value);
        }
        assertThat(computes).as(name).hasValue(1);
    }

    @Test
    void presenceIsAFactOfTheRecordNotOfTheValueM3() {
        isComputedOnce("zero", Codecs.of(Integer.class), 0);
        isComputedOnce("long", Codecs.of(Long.class), 0L);
        isComputedOnce("empty string", Codecs.of(String.class), "");
        isComputedOnce("false", Codecs.of(Boolean.class), false);
        isComputedOnce("none", Codecs.optional(String.class), Optional.empty());
        isComputedOnce("empty list", Codecs.list(String.class), List.of());
        isComputedOnce("empty map", Codecs.map(String.class), Map.of());
        isComputedOnce("null", Codecs.of(String.class), null);
        isComputedOnce("null list", Codecs.list(String.class), null);
    }

    @Test
    void nullsHaveATtlOfTheirOwn() {
        AtomicInteger computes = new AtomicInteger();
        Memoizer<String, @Nullable String> memo = member().bw()
                .<String, @Nullable String>memoizer("m", String.class, String.class)
                .ttl(LONG)
                .negativeTtl(Duration.ofMillis(60))
                .build(key -> {
                    computes.incrementAndGet();
                    return null;
                });
        assertThat(memo.get("k")).isNull();
        pass(Duration.ofMillis(100));
        assertThat(memo.get("k")).isNull();
        assertThat(computes).hasValue(2);
    }

    @Test
    void ttlsFromNothingToForEverDoWhatTheySayS3() {
        Member member = member();
        Map<String, Duration> ttls = new LinkedHashMap<>();
        ttls.put("zero", Duration.ZERO);
        ttls.put("negative", Duration.ofSeconds(-1));
        ttls.put("short", Duration.ofMillis(1));
        ttls.put("odd", Duration.ofMillis(999_999));
        ttls.put("centuries", Duration.ofDays(365 * 300));
        ttls.put("for ever", Duration.ofMillis(Long.MAX_VALUE));
        AtomicInteger computes = new AtomicInteger();
        Memoizer<String, Integer> memo = member.bw()
                .memoizer("ttl", String.class, Integer.class)
                .ttl((key, value) -> Objects.requireNonNull(ttls.get(key)))
                .staleIfError(Duration.ofDays(1))
                .build(key -> computes.incrementAndGet());
        ttls.forEach((key, ttl) -> {
            int first = memo.get(key);
            pass(Duration.ofMillis(5));
            boolean kept = ttl.toSeconds() > 1;
            assertThat(memo.get(key)).as(key).isEqualTo(kept ? first : first + 1);
        });
    }

    @Test
    void aValueThatExpiredIsComputedAnewAndKeepsItsFullTtlAgain() {
        Memoizer<String, String> memo =
                named(member(), "x").ttl(Duration.ofMillis(150)).build(source);
        for (int cycle = 1; cycle <= 3; cycle++) {
            assertThat(memo.get("k")).isEqualTo("1");
            assertThat(source.computes()).isEqualTo(cycle);
            pass(Duration.ofMillis(170));
        }
    }

    @Test
    void bytesThatDoNotDecodeAndOtherShapesCountAsAbsentAndAreReplaced() {
        Codec<String> strict = new Codec<>() {
            @Override
            public byte[] encode(String value) {
                return value.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String decode(byte[] bytes) {
                String text = new String(bytes, StandardCharsets.UTF_8);
                if (!text.startsWith("new:")) throw new IllegalArgumentException("a field is missing");
                return text;
            }

            @Override
            public String fingerprint() {
                return "utf8";
            }
        };
        Memoizer<String, String> old = member().bw()
                .memoizer("c", String.class, String.class)
                .ttl(LONG)
                .build(key -> "old");
        Memoizer<String, String> changed =
                member().bw().memoizer("c", String.class, strict).ttl(LONG).build(key -> "new:1");
        Memoizer<String, Integer> reshaped = member().bw()
                .memoizer("c", String.class, Integer.class)
                .ttl(LONG)
                .build(key -> 7);
        assertThat(old.get("k")).isEqualTo("old");
        assertThat(changed.getIfPresent("k")).isEmpty();
        assertThat(changed.get("k")).isEqualTo("new:1");
        assertThat(changed.get("k")).isEqualTo("new:1");
        assertThat(reshaped.get("k")).isEqualTo(7);
    }

    @Test
    void hugeValuesAreReturnedWhetherTheyCanBeStoredOrNot() {
        Member member = member();
        int most = member.wire().capabilities().limits().maxValueBytes();
        int size = Math.min(most, 64 << 20) + 1;
        Memoizer<String, byte[]> memo = member.bw()
                .memoizer("huge", String.class, byte[].class)
                .ttl(LONG)
                .build(key -> new byte[key.equals("small") ? 100_000 : size]);
        assertThat(memo.get("small")).hasSize(100_000);
        assertThat(memo.get("big")).hasSize(size);
    }

    @Test
    void keysThatCannotBeKeysAreRefusedByName() {
        Memoizer<String, String> memo = memoizer(member()).build(source);
        assertThatThrownBy(() -> memo.get("x".repeat(5_000))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> memo.get("\ud800")).isInstanceOf(IllegalArgumentException.class);
        assertThat(failure(memo.async().get("x".repeat(5_000)))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> memo.getAll(List.of("a", "x".repeat(5_000))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(memo.get("")).isEqualTo("1");
        assertThat(memo.get("\u0000:%{}\u00e9\ud83d\ude00")).isEqualTo("1");
    }

    @Test
    @SuppressWarnings("NullAway") // what is refused is the subject
    void badSettingsAreRefusedWithASentence() {
        Member member = member();
        Memoizer.Builder<String, String> builder = memoizer(member);
        assertThatThrownBy(() -> builder.ttl(Duration.ofSeconds(-1))).hasMessageContaining("the ttl is");
        assertThatThrownBy(() -> builder.lease(Duration.ofMillis(1))).hasMessageContaining("the lease of a leader");
        assertThatThrownBy(() -> builder.atMost(Duration.ZERO)).hasMessageContaining("atMost");
        assertThatThrownBy(() -> builder.maxWait(Duration.ofSeconds(-1))).hasMessageContaining("maxWait");
        assertThatThrownBy(() -> builder.nearCache(-1)).hasMessageContaining("near cache");
        assertThatThrownBy(() -> builder.build(null)).hasMessageContaining("the loader is null");
        assertThatThrownBy(() -> builder.ttl((Duration) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> member.bw()
                        .memoizer("", String.class, String.class)
                        .ttl(LONG)
                        .build(source))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() ->
                        member.bw().memoizer("n", String.class, String.class).build(source))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("memoizer n has no ttl");
        Memoizer<String, String> memo = builder.build(source);
        assertThatThrownBy(() -> memo.get(null)).hasMessageContaining("the key is null");
        assertThatThrownBy(() -> memoizer(member).build(source))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("built twice")
                .hasMessageContaining("MemoizerValues");
    }

    // ---- changing and dropping values

    @Test
    void anInvalidationBeatsAComputationThatBeganBeforeItM2() {
        Memoizer<String, String> a = memoizer(member()).build(source);
        Memoizer<String, String> b = memoizer(member()).build(source);
        for (int round = 0; round < 3; round++) {
            String key = "k" + round;
            Source slow = new Source();
            slow.write("old");
            slow.hold();
            CompletableFuture<String> before = start(() -> a.get(key, slow));
            slow.awaitBegun();
            slow.write("new");
            b.invalidate(key);
            CompletableFuture<String> joined = start(() -> a.get(key, slow));
            pass(Duration.ofMillis(30));
            slow.release();
            assertThat(answer(before)).isEqualTo("old");
            assertThat(answer(joined)).as("called after the invalidation").isEqualTo("new");
            assertThat(b.get(key, slow)).isEqualTo("new");
            assertThat(slow.computes()).isEqualTo(2);
        }
    }

    @Test
    void clearAndTagsBeatAComputationThatBeganBeforeThemM2() {
        Member one = member();
        Memoizer<String, String> a =
                memoizer(one).tags((key, value) -> List.of("t")).build(source);
        Memoizer<String, String> b = memoizer(member()).build(source);
        for (Runnable drop : List.<Runnable>of(b::clear, () -> one.bw().invalidateTag("t"))) {
            a.clear();
            Source fresh = new Source();
            fresh.write("old");
            fresh.hold();
            CompletableFuture<String> before = start(() -> a.get("k", fresh));
            fresh.awaitBegun();
            fresh.write("new");
            drop.run();
            fresh.release();
            assertThat(answer(before)).isEqualTo("old");
            assertThat(a.get("k", fresh)).isEqualTo("new");
            assertThat(a.get("k", fresh)).isEqualTo("new");
            assertThat(fresh.computes()).isEqualTo(2);
        }
    }

    @Test
    void aDroppedTagDropsItsValuesInEveryProcessAndNoOthersM6() {
        Member one = member();
        Member two = member();
        Memoizer<String, String> a = memoizer(one)
                .tags((key, value) -> List.of("of:" + key.charAt(0)))
                .build(source);
        Memoizer<String, String> b = memoizer(two)
                .tags((key, value) -> List.of("of:" + key.charAt(0)))
                .build(source);
        for (Memoizer<String, String> each : List.of(a, b)) {
            for (String key : List.of("x1", "x2", "y1"))
                assertThat(each.get(key)).isEqualTo("1");
        }
        source.write("2");
        one.bw().invalidateTag("of:x");
        await("b notices", () -> b.get("x1").equals("2"));
        assertThat(a.get("x1")).isEqualTo("2");
        assertThat(a.get("x2")).isEqualTo("2");
        assertThat(b.get("y1")).isEqualTo("1");
        assertThat(source.computes()).isEqualTo(5);
    }

    @Test
    void clearDropsEverythingOfOneNameAndNothingElse() {
        Member member = member();
        Memoizer<String, String> a = named(member, "a").build(source);
        Memoizer<String, String> b = named(member, "b").build(source);
        assertThat(List.of(a.get("1"), a.get("2"), b.get("1"))).containsOnly("1");
        source.write("2");
        a.clear();
        assertThat(List.of(a.get("1"), a.get("2"))).containsOnly("2");
        assertThat(b.get("1")).isEqualTo("1");
    }

    @Test
    void aPutEndsTheComputationUnderWayAndIsSeenEverywhere() {
        Memoizer<String, String> a = memoizer(member()).build(source);
        Memoizer<String, String> b = memoizer(member()).build(source);
        source.hold();
        CompletableFuture<String> leader = start(() -> a.get("k"));
        source.awaitBegun();
        b.put("k", "put");
        assertThat(b.get("k")).isEqualTo("put");
        source.release();
        assertThat(answer(leader)).isEqualTo("1");
        assertThat(memoizer(member()).build(source).get("k")).isEqualTo("put");
        await("a sees it", () -> a.get("k").equals("put"));
    }

    @Test
    void nearValuesFollowWritesOfOthersAndOnesOwnFillsM6() {
        Memoizer<String, String> a = memoizer(member()).build(source);
        Memoizer<String, String> b = memoizer(member()).build(source);
        for (int i = 0; i < 100; i++) {
            String value = "v" + i;
            a.invalidate("k");
            source.write("filled by a");
            assertThat(a.get("k")).isEqualTo("filled by a");
            b.put("k", value);
            await("a sees the write of b", () -> a.get("k").equals(value));
        }
    }

    @Test
    void aRefreshComputesThoughAFreshValueStandsThere() {
        Memoizer<String, String> a = memoizer(member()).build(source);
        assertThat(a.get("k")).isEqualTo("1");
        source.write("2");
        assertThat(a.refresh("k")).isEqualTo("2");
        assertThat(a.get("k")).isEqualTo("2");
        source.fail(new IllegalStateException("down"));
        assertThatThrownBy(() -> a.refresh("k")).isInstanceOf(LoadFailedException.class);
        assertThat(a.get("k")).as("the failed refresh left it alone").isEqualTo("2");
    }

    @Test
    void theLoaderDecidesHowItsValueIsKept() {
        Member member = member();
        AtomicInteger computes = new AtomicInteger();
        Memoizer<String, Integer> memo = member.bw()
                .memoizer("ctx", String.class, Integer.class)
                .ttl(LONG)
                .buildWithContext((key, context) -> {
                    assertThat(context.isLeading()).isTrue();
                    assertThat(context.fence()).isPositive();
                    assertThat(context.remaining()).isPositive();
                    if (key.equals("volatile")) context.doNotStore();
                    if (key.equals("zero")) context.ttl(Duration.ZERO);
                    if (key.equals("tagged")) context.tag("t1", "t2");
                    return context.previous().orElse(0) + computes.incrementAndGet();
                });
        assertThat(memo.get("volatile")).isNotEqualTo(memo.get("volatile"));
        assertThat(memo.get("zero")).isNotEqualTo(memo.get("zero"));
        int tagged = memo.get("tagged");
        assertThat(memo.get("tagged")).isEqualTo(tagged);
        member.bw().invalidateTag("t2");
        assertThat(memo.get("tagged")).isNotEqualTo(tagged);
        int before = memo.get("plain");
        assertThat(memo.refresh("plain")).isGreaterThan(before);
    }

    // ---- many keys

    @Test
    void getAllAsksTheBulkLoaderOnceForWhatIsMissing() {
        AtomicInteger calls = new AtomicInteger();
        Memoizer<Integer, String> memo = member().bw()
                .memoizer("bulk", Integer.class, String.class)
                .ttl(LONG)
                .buildBulk(keys -> {
                    calls.incrementAndGet();
                    Map<Integer, String> found = new LinkedHashMap<>();
                    for (int key : keys) if (key != 9) found.put(key, "v" + key);
                    found.put(100, "extra");
                    found.put(101, "extra");
                    return found;
                });
        for (int key = 0; key < 3; key++) assertThat(memo.get(key)).isEqualTo("v" + key);
        calls.set(0);
        Map<Integer, String> all = memo.getAll(List.of(0, 1, 2, 3, 4, 5, 6, 7, 9, 9));
        assertThat(all.keySet()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 9);
        assertThat(all).containsEntry(7, "v7").containsEntry(9, null);
        assertThat(calls).hasValue(1);
        assertThat(memo.getAll(List.of(3, 4, 9))).containsEntry(4, "v4");
        assertThat(calls).as("also the absent one is remembered").hasValue(1);
        assertThat(memo.getIfPresent(100)).isEmpty();
        assertThat(answer(memo.async().getAll(Set.of(20, 21)))).hasSize(2);
        assertThat(memo.getAll(List.of())).isEmpty();
    }

    @Test
    void getAllNamesTheFailedKeysAndKeepsTheOthers() {
        AtomicInteger computes = new AtomicInteger();
        Memoizer<Integer, String> memo = member().bw()
                .memoizer("each", Integer.class, String.class)
                .ttl(LONG)
                .build(key -> {
                    computes.incrementAndGet();
                    if (key == 5) throw new IllegalStateException("five");
                    return "v" + key;
                });
        assertThatThrownBy(() -> memo.getAll(List.of(1, 2, 3, 4, 5, 6)))
                .isInstanceOf(LoadFailedException.class)
                .hasMessageContaining("1 of 6 keys")
                .hasMessageContaining("[5]");
        assertThat(computes).hasValue(6);
        assertThat(memo.getAll(List.of(1, 2, 3, 4, 6))).hasSize(5);
        assertThat(computes).hasValue(6);
    }

    @Test
    void aFailingBulkLoaderFailsAllOfItsKeysAndNoHits() {
        AtomicInteger calls = new AtomicInteger();
        Memoizer<Integer, String> memo = member().bw()
                .memoizer("bulk", Integer.class, String.class)
                .ttl(LONG)
                .buildBulk(keys -> {
                    if (calls.incrementAndGet() == 1) throw new IllegalStateException("down");
                    Map<Integer, String> found = new LinkedHashMap<>();
                    for (int key : keys) found.put(key, "v" + key);
                    return found;
                });
        assertThat(failure(memo.async().getAll(List.of(1, 2)))).isInstanceOf(LoadFailedException.class);
        assertThat(memo.getAll(List.of(1, 2))).containsValues("v1", "v2");
    }

    @Test
    void twoProcessesThatAskForTheSameKeysInOppositeOrderShareTheWork() {
        AtomicInteger loaded = new AtomicInteger();
        List<Memoizer<Integer, String>> both = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            both.add(member().bw()
                    .memoizer("cross", Integer.class, String.class)
                    .ttl(LONG)
                    .buildBulk(keys -> {
                        Map<Integer, String> found = new LinkedHashMap<>();
                        for (int key : keys) {
                            loaded.incrementAndGet();
                            found.put(key, "v" + key);
                        }
                        return found;
                    }));
        }
        for (int round = 0; round < 20; round++) {
            int base = round * 10;
            List<Integer> up = List.of(base, base + 1, base + 2, base + 3);
            List<Integer> down = List.of(base + 3, base + 2, base + 1, base);
            CompletableFuture<Map<Integer, String>> a = start(() -> both.get(0).getAll(up));
            CompletableFuture<Map<Integer, String>> b = start(() -> both.get(1).getAll(down));
            assertThat(answer(a)).hasSize(4).isEqualTo(answer(b));
        }
        assertThat(loaded).hasValue(80);
    }
}
