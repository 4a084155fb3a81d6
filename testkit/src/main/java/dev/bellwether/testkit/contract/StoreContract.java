// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.codec.Codec;
import dev.bellwether.codec.Codecs;
import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.kv.StoreService;
import dev.bellwether.store.Entry;
import dev.bellwether.store.KvStore;
import dev.bellwether.testkit.contract.Tap.Fate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The laws S1 to S5 as they show in entries, and what users of another store complained of, on any backend. */
public abstract class StoreContract extends StoreProcesses {
    protected StoreContract() {}

    // What is put is what is there

    @Test
    void whatWasPutComesBackUnderAnyKey() {
        KvStore<String, String> store = client().texts();
        List<String> keys = List.of(
                "", "a", "a\0", "\0", "A", "a:b", "a%3Ab", ":", "é", "e\u0301", "𝄞", "{a}", "a b", "x".repeat(1_000));
        for (String key : keys) store.put(key, "value of " + key);
        for (String key : keys) assertThat(store.get(key)).contains("value of " + key);
        assertThat(store.getAll(keys)).hasSize(keys.size());
    }

    @Test
    void presenceIsAFactOfTheEntryNotOfTheValue() {
        Client client = client();
        client.texts().put("k", "");
        client.counters().put("k", 0L);
        client.store("flags", String.class, Boolean.class).put("k", false);
        KvStore<String, Optional<String>> optionals =
                client.stores.store("optionals", String.class, Codecs.optional(String.class));
        optionals.put("k", Optional.empty());
        assertThat(client.texts().get("k")).contains("");
        assertThat(client.counters().get("k")).contains(0L);
        assertThat(client.store("flags", String.class, Boolean.class).get("k")).contains(false);
        assertThat(optionals.get("k")).contains(Optional.empty());
        assertThat(client.texts().get("other")).isEmpty();
    }

    @Test
    void storesAndNamespacesWhoseNamesLookAlikeAreApart() {
        Client client = client();
        for (String name : List.of("s", "S", "s:", "s:t", "s%3A")) {
            client.store(name, String.class, String.class).put("t:k", name);
        }
        for (String name : List.of("s", "S", "s:", "s:t", "s%3A")) {
            assertThat(client.store(name, String.class, String.class).get("t:k"))
                    .contains(name);
        }
        assertThat(client.store("s:t", String.class, String.class).get("k")).isEmpty();
    }

    @Test
    void anotherProcessSeesWhatThisOneWrote() {
        KvStore<String, String> here = client().texts();
        KvStore<String, String> there = client().texts();
        here.put("k", "v");
        assertThat(there.entry("k")).isEqualTo(here.entry("k"));
        there.delete("k");
        assertThat(here.get("k")).isEmpty();
    }

    @Test
    void aThousandKeysAreReadAtOnceInTheirOrder() {
        KvStore<Integer, String> store = client().store("many", Integer.class, String.class);
        IntStream.range(0, 500).forEach(i -> store.put(2 * i, "v" + i));
        List<Integer> keys = IntStream.range(0, 1_000).map(i -> 999 - i).boxed().toList();
        assertThat(store.getAll(keys).keySet())
                .containsExactlyElementsOf(
                        keys.stream().filter(key -> key % 2 == 0).toList());
        assertThat(store.getAll(List.of())).isEmpty();
        assertThat(store.getAll(List.of(2, 2, 4))).containsOnlyKeys(2, 4);
    }

    @Test
    void onlyTheFirstPutIfAbsentStores() {
        KvStore<String, String> store = client().texts();
        assertThat(store.putIfAbsent("k", "first")).isTrue();
        assertThat(store.putIfAbsent("k", "second")).isFalse();
        assertThat(store.get("k")).contains("first");
        assertThat(store.delete("k")).isTrue();
        assertThat(store.delete("k")).isFalse();
        assertThat(store.putIfAbsent("k", "third")).isTrue();
    }

    // S2: versions

    @Test
    void versionsGrowWithEveryChangeAcrossDeleteAndExpiryS2() {
        KvStore<String, String> store = client().texts();
        assertThat(store.entry("k").version()).isZero();
        long last = 0;
        for (Runnable change : List.<Runnable>of(
                () -> store.put("k", "a"),
                () -> store.put("k", "a"),
                () -> store.touch("k", ofSeconds(100)),
                () -> store.delete("k"),
                () -> store.put("k", "b", ofMillis(20)))) {
            change.run();
            assertThat(store.entry("k").version()).isGreaterThan(last);
            last = store.entry("k").version();
        }
        pass(ofMillis(30));
        assertThat(store.get("k")).isEmpty();
        store.put("k", "c");
        assertThat(store.entry("k").version()).isGreaterThan(last);
    }

    // S3: expiry

    @Test
    void anEntryIsAbsentFromTheMomentItsTimeHasPassedS3() {
        KvStore<String, String> store = client().texts();
        store.put("k", "v", ofMillis(400));
        assertThat(store.get("k")).contains("v");
        assertThat(store.entry("k").expiresAt()).isPresent();
        pass(ofMillis(401));
        assertThat(store.get("k")).isEmpty();
        assertThat(store.entry("k").expiresAt()).isEmpty();
        assertThat(store.getAll(List.of("k"))).isEmpty();
        assertThat(store.putIfAbsent("k", "again")).isTrue();
    }

    @Test
    void aTimeToLiveOfZeroLeavesNothingAndANegativeOneIsRefused() {
        Client client = client();
        KvStore<String, String> store = client.texts();
        store.put("k", "old");
        store.put("k", "v", ZERO);
        assertThat(store.get("k")).isEmpty();
        client.tap.forget();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.put("k", "v", ofMillis(-1)))
                .withMessageContaining("time to live");
        assertThatIllegalArgumentException().isThrownBy(() -> store.touch("k", ofMillis(-1)));
        assertThat(client.tap.requests()).isEmpty();
    }

    @Test
    void readingNeverExtendsALifeAndTouchingDoes() {
        KvStore<String, String> store = client().texts();
        store.put("read", "v", ofMillis(400));
        store.put("touched", "v", ofMillis(400));
        pass(ofMillis(200));
        assertThat(store.get("read")).contains("v");
        assertThat(store.touch("touched", ofSeconds(60))).isTrue();
        pass(ofMillis(201));
        assertThat(store.get("read")).isEmpty();
        assertThat(store.get("touched")).contains("v");
        assertThat(store.touch("read", ofSeconds(60))).isFalse();
        assertThat(store.get("read")).isEmpty();
    }

    @Test
    void anEntryEndsAtTheMomentThatWasStated() {
        KvStore<String, String> store = client().texts();
        Instant now = Instant.ofEpochMilli(timer().epochMicros() / 1_000);
        store.put("k", "v", now.plusMillis(400));
        assertThat(store.get("k")).contains("v");
        assertThat(store.entry("k").expiresAt()).contains(now.plusMillis(400));
        store.put("past", "v", now.minusSeconds(1));
        assertThat(store.get("past")).isEmpty();
        pass(ofMillis(401));
        assertThat(store.get("k")).isEmpty();
    }

    @Test
    void aPutDecidesAboutTheTimeToLiveAnUpdateAndAnAdditionKeepIt() {
        Client client = client();
        KvStore<String, Long> store = client.counters();
        for (String key : List.of("put", "update", "add")) store.put(key, 1L, ofMillis(400));
        store.put("put", 2L);
        assertThat(store.update("update", number -> number.orElseThrow() + 1)).isEqualTo(2);
        assertThat(client.transactions.add(store, "add", 1)).isEqualTo(2);
        pass(ofMillis(401));
        assertThat(store.getAll(List.of("put", "update", "add"))).containsOnlyKeys("put");
    }

    // Values of another shape

    @Test
    void aValueOfAnotherShapeReadsAsAbsentAndIsOverwritten() {
        Client client = client();
        KvStore<String, Integer> old = client.store("shape", String.class, Integer.class);
        KvStore<String, String> now = client.store("shape", String.class, String.class);
        for (String key : List.of("read", "put", "putIfAbsent", "update")) old.put(key, 7);
        assertThat(now.get("read")).isEmpty();
        assertThat(now.entry("read").isPresent()).isFalse();
        assertThat(now.getAll(List.of("read", "put"))).isEmpty();
        assertThat(StoreService.unreadable(now)).isEqualTo(4);
        now.put("put", "new");
        assertThat(now.putIfAbsent("putIfAbsent", "new")).isTrue();
        assertThat(now.update("update", before -> before.orElse("new"))).isEqualTo("new");
        assertThat(now.getAll(List.of("put", "putIfAbsent", "update")))
                .hasSize(3)
                .containsValue("new");
        KvStore<String, Long> counters = client.store("shape", String.class, Long.class);
        assertThat(counters.get("put")).isEmpty();
        assertThat(counters.get("read")).isEmpty();
    }

    @Test
    void bytesThatDoNotDecodeAreADefectNamingKeyAndType() {
        Codec<String> broken = new Codec<>() {
            @Override
            public byte[] encode(String value) {
                if (value.isEmpty()) throw new IllegalStateException("cannot");
                return new byte[0];
            }

            @Override
            public String decode(byte[] bytes) {
                throw new IllegalStateException("broken");
            }

            @Override
            public String fingerprint() {
                return "broken codec";
            }
        };
        KvStore<String, String> store = client().stores.store("broken", String.class, broken);
        store.put("k", "v");
        assertThatThrownBy(() -> store.get("k"))
                .isExactlyInstanceOf(BellwetherException.class)
                .hasMessageContaining("store broken, key k")
                .hasMessageContaining("broken codec");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.put("k", ""))
                .withMessageContaining("key k");
    }

    @Test
    void whatCannotBeAKeyOrAValueIsRefusedBeforeAnythingIsSent() {
        Client client = client();
        KvStore<String, String> store = client.texts();
        client.tap.forget();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.put("\ud800", "v"))
                .withMessageContaining("surrogate");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.put("x".repeat(2_049), "v"))
                .withMessageContaining("2048");
        assertThatNullPointerException()
                .isThrownBy(() -> store.put("k", nothing()))
                .withMessageContaining("null");
        assertThatNullPointerException().isThrownBy(() -> store.get(nothing())).withMessageContaining("key");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.store("s", List.class, String.class))
                .withMessageContaining("cannot be a key");
        assertThat(client.tap.requests()).isEmpty();
    }

    @SuppressWarnings("NullAway") // stands for what an unchecked caller passes
    private static String nothing() {
        return null;
    }

    // S4, S5: repeated, refused and lost requests

    @Test
    void aPutThatIsSentAgainDoesNotUndoWhatSomebodyWroteMeanwhileS4() {
        Client one = client();
        Client two = client();
        AtomicInteger commits = new AtomicInteger();
        one.tap.decide(request -> commits.incrementAndGet() == 1 ? Fate.ANSWER_LOST : Fate.SERVED);
        CompletableFuture<Void> put = one.texts().async().put("k", "one");
        two.texts().put("k", "two");
        answer(put.thenApply(done -> true));
        assertThat(commits).hasValueGreaterThan(1);
        assertThat(two.texts().get("k")).contains("two");
    }

    @Test
    void aRefusedWriteChangedNothingS5() {
        Client client = client();
        client.texts().put("k", "old");
        client.tap.decide(request -> Fate.REFUSED);
        Throwable refused = failure(client.texts().async().put("k", "new"));
        assertThat(refused).isInstanceOf(BackendUnavailableException.class).hasMessageContaining("texts");
        assertThat(failure(client.texts().async().get("k"))).isInstanceOf(BackendUnavailableException.class);
        client.tap.serveAll();
        assertThat(client.texts().get("k")).contains("old");
    }

    @Test
    void aWriteWithoutAnAnswerMayHaveHappenedAndAReadWithoutOneDidNotServe() {
        Client client = client();
        client.tap.decide(request -> Fate.ANSWER_SWALLOWED);
        assertThat(failure(client.texts().async().put("k", "v"))).isInstanceOf(OutcomeUnknownException.class);
        assertThat(failure(client.texts().async().get("k"))).isInstanceOf(BackendUnavailableException.class);
        client.tap.serveAll();
        assertThat(client.texts().get("k")).contains("v");
    }

    @Test
    void afterClosingEveryActIsRefusedAndNothingIsSent() {
        Client client = client();
        KvStore<String, String> store = client.texts();
        client.spread.close();
        client.tap.forget();
        assertThatThrownBy(() -> store.get("k")).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> store.put("k", "v")).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> client.transactions.run(tx -> tx.put(store, "k", "v")))
                .isInstanceOf(ClosedException.class);
        assertThat(client.tap.requests()).isEmpty();
    }

    // update

    @Test
    void anUpdateAppliesToWhatSomebodyFasterWrote() {
        KvStore<String, String> here = client().texts();
        KvStore<String, String> there = client().texts();
        AtomicInteger runs = new AtomicInteger();
        String result = here.update("k", before -> {
            if (runs.incrementAndGet() == 1) there.put("k", "theirs");
            return before.orElse("nothing") + " and ours";
        });
        assertThat(result).isEqualTo("theirs and ours");
        assertThat(there.get("k")).contains("theirs and ours");
        assertThat(runs).hasValue(2);
    }

    @Test
    void whatTheFunctionOfAnUpdateThrowsComesOutUnchanged() {
        KvStore<String, String> store = client().texts();
        IllegalStateException mine = new IllegalStateException("mine");
        assertThatThrownBy(() -> store.update("k", before -> {
                    throw mine;
                }))
                .isSameAs(mine);
        assertThat(failure(store.async().update("k", before -> {
                    throw mine;
                })))
                .isSameAs(mine);
        assertThat(store.get("k")).isEmpty();
    }

    @Test
    void anUpdateThatIsAlwaysLateGivesUpNamingTheKey() {
        KvStore<String, String> here = client().texts();
        KvStore<String, String> there = client().texts();
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<String> update = here.async().update("hot", before -> {
            answerNow(there.async().put("hot", "theirs " + runs.incrementAndGet()));
            return "ours";
        });
        for (int i = 0; i < 20 && !update.isDone(); i++) pass(ofMillis(600));
        assertThat(failure(update))
                .isInstanceOf(WaitTimeoutException.class)
                .hasMessageContaining("store texts, key hot");
        assertThat(there.get("hot")).contains("theirs " + runs.get());
        assertThat(runs).hasValueGreaterThan(5);
    }

    private static void answerNow(CompletableFuture<?> future) {
        Object unused = future.join();
    }

    // The two faces

    @Test
    void theAsynchronousFaceDoesTheSame() {
        KvStore<String, String> store = client().texts();
        assertThat(answer(store.async().putIfAbsent("k", "a"))).isTrue();
        assertThat(answer(store.async().get("k"))).contains("a");
        assertThat(answer(store.async().update("k", before -> before.orElse("") + "b")))
                .isEqualTo("ab");
        Entry<String, String> entry = answer(store.async().entry("k"));
        assertThat(entry.value()).contains("ab");
        assertThat(entry.key()).isEqualTo("k");
        assertThat(answer(store.async().touch("k", ofSeconds(9)))).isTrue();
        assertThat(answer(store.async().getAll(List.of("k", "l")))).containsOnlyKeys("k");
        assertThat(answer(store.async().delete("k"))).isTrue();
        assertThat(store.async().sync()).isSameAs(store);
        assertThat(store.get("k")).isEmpty();
    }
}
