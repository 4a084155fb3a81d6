// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.bellwether.codec.Codecs;
import dev.bellwether.kv.StoreService;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.Query;
import dev.bellwether.store.Entry;
import dev.bellwether.store.KeyRange;
import dev.bellwether.store.KvStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Listing in key order, where the backend has the power for it, and a clear refusal where it has not. */
public abstract class ListingContract extends StoreProcesses {
    protected ListingContract() {}

    /** A key in two parts. */
    public record Part(String shop, long number) {}

    private static List<String> keys(Stream<Entry<String, String>> entries) {
        return entries.map(Entry::key).toList();
    }

    private Client ordered() {
        Client client = client();
        Assumptions.assumeTrue(client.can(Power.ORDERED_SCAN), "this backend keeps no order of keys");
        return client;
    }

    private KvStore<String, String> filled(String... keys) {
        Client client = ordered();
        client.store("text", String.class, String.class).put("a", "of a store whose name begins alike");
        client.store("texts2", String.class, String.class).put("a", "of a store whose name goes on");
        for (String key : keys) client.texts().put(key, "value of " + key);
        return client.texts();
    }

    @Test
    void whereTheBackendCannotListThatIsSaid() {
        Client client = client();
        StoreService spread = new StoreService(client.spread);
        KvStore<String, String> store = spread.store("texts", String.class, Codecs.of(String.class));
        if (!client.can(Power.ORDERED_SCAN)) {
            assertThatIllegalStateException().isThrownBy(store::scan).withMessageContaining("ORDERED_SCAN");
        } else if (!client.can(Power.CROSS_PARTITION)) {
            assertThatIllegalStateException().isThrownBy(store::scan).withMessageContaining("bw.colocated(");
        } else {
            store.put("k", "v");
            assertThat(keys(store.scan())).containsExactly("k");
        }
    }

    @Test
    void entriesComeInKeyOrderAndOnlyThoseOfTheStore() {
        KvStore<String, String> store = filled("b", "", "a\0", "a", "ab", "é", "𝄞", "￿", "B");
        assertThat(keys(store.scan())).containsExactly("", "B", "a", "a\0", "ab", "b", "é", "￿", "𝄞");
        assertThat(keys(store.scan(KeyRange.<String>all().reversed())))
                .containsExactly("𝄞", "￿", "é", "b", "ab", "a\0", "a", "B", "");
        assertThat(store.scan().map(entry -> entry.value().orElseThrow())).contains("value of ab");
    }

    @Test
    void aRangeHasItsStartAndNotItsEnd() {
        KvStore<String, String> store = filled("a", "b", "c", "d");
        assertThat(keys(store.scan("b", "d"))).containsExactly("b", "c");
        assertThat(keys(store.scan("b", "b"))).isEmpty();
        assertThat(keys(store.scan(KeyRange.from("c")))).containsExactly("c", "d");
        assertThat(keys(store.scan(KeyRange.before("c")))).containsExactly("a", "b");
        assertThat(keys(store.scan(KeyRange.before("c").reversed()))).containsExactly("b", "a");
        assertThat(keys(store.scan(KeyRange.between("0", "z").reversed()))).containsExactly("d", "c", "b", "a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.scan("d", "b"))
                .withMessageContaining("ends before it starts");
    }

    @Test
    void aCursorIsTheLastKeySeenAndEnds() {
        KvStore<String, String> store = filled("a", "b", "c");
        assertThat(keys(store.scan(KeyRange.after("a")))).containsExactly("b", "c");
        assertThat(keys(store.scan(KeyRange.after("aa")))).containsExactly("b", "c");
        assertThat(keys(store.scan(KeyRange.after("c")))).isEmpty();
        assertThat(keys(store.scan(KeyRange.before("a").reversed()))).isEmpty();
        assertThat(keys(store.scan(KeyRange.after("a").reversed()))).containsExactly("c", "b");
    }

    @Test
    void aPrefixLeaksNothingFromOutside() {
        KvStore<String, String> store = filled("a", "a/", "a/1", "a/2", "a0", "b");
        assertThat(keys(store.scan(KeyRange.startingWith("a/")))).containsExactly("a/", "a/1", "a/2");
        assertThat(keys(store.scan(KeyRange.<String>startingWith("a/").andAfter("a/1"))))
                .containsExactly("a/2");
        assertThat(keys(store.scan(KeyRange.<String>startingWith("a/").andAfter("a"))))
                .containsExactly("a/", "a/1", "a/2");
        assertThat(keys(store.scan(
                        KeyRange.<String>startingWith("a/").andBefore("b").reversed())))
                .containsExactly("a/2", "a/1", "a/");
        assertThat(keys(store.scan(KeyRange.<String>startingWith("a/").andAfter("b"))))
                .isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.scan(KeyRange.startingWith("a", "b")))
                .withMessageContaining("one string");
    }

    @Test
    void recordsAreListedByTheirFirstComponents() {
        KvStore<Part, String> store = ordered().store("parts", Part.class, String.class);
        List<Part> parts = List.of(
                new Part("", 1),
                new Part("a", -5),
                new Part("a", 0),
                new Part("a", 7),
                new Part("a\0", 0),
                new Part("b", 0));
        List<Part> shuffled = new ArrayList<>(parts);
        Collections.reverse(shuffled);
        shuffled.forEach(part -> store.put(part, part.toString()));
        assertThat(store.scan().map(Entry::key)).containsExactlyElementsOf(parts);
        assertThat(store.scan(KeyRange.startingWith("a")).map(Entry::key))
                .containsExactlyElementsOf(parts.subList(1, 4));
        assertThat(store.scan(KeyRange.startingWith("a", 7L)).map(Entry::key)).containsExactly(new Part("a", 7));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.scan(KeyRange.startingWith(7L)))
                .withMessageContaining("component shop");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.scan(KeyRange.startingWith("a", 7L, 8L)))
                .withMessageContaining("2 components");
    }

    @Test
    void longListsComeWholePageByPageInBothDirections() {
        Client client = ordered();
        KvStore<Integer, String> store = client.store("many", Integer.class, String.class);
        List<Integer> all = IntStream.range(-700, 700).boxed().toList();
        all.forEach(key -> store.put(key, "v"));
        assertThat(store.scan().map(Entry::key)).containsExactlyElementsOf(all);
        List<Integer> backwards = new ArrayList<>(all);
        Collections.reverse(backwards);
        assertThat(store.scan(KeyRange.<Integer>all().reversed()).map(Entry::key))
                .containsExactlyElementsOf(backwards);
        client.tap.forget();
        assertThat(store.scan().limit(10).map(Entry::key)).containsExactlyElementsOf(all.subList(0, 10));
        assertThat(client.tap.count(request -> request instanceof Query.Range)).isEqualTo(1);
    }

    @Test
    void whatHasExpiredOrBeenDeletedOrHasAnotherShapeIsNotListed() {
        Client client = ordered();
        KvStore<String, String> store = client.texts();
        store.put("a", "v");
        store.put("gone", "v", ofMillis(20));
        store.put("deleted", "v");
        store.delete("deleted");
        client.store("texts", String.class, Integer.class).put("other", 1);
        client.store("texts", Long.class, String.class).put(5L, "v");
        pass(ofMillis(30));
        assertThat(store.scan().map(Entry::key)).contains("a").doesNotContain("gone", "deleted", "other");
    }

    @Test
    void aListingThatGoesOnWhileEntriesChangeNeitherRepeatsNorSkipsTheOthers() {
        KvStore<Integer, String> store = ordered().store("many", Integer.class, String.class);
        IntStream.range(0, 600).forEach(key -> store.put(2 * key, "v"));
        List<Integer> seen = new ArrayList<>();
        store.scan().map(Entry::key).forEach(key -> {
            seen.add(key);
            if (key % 100 == 0) store.put(key + 1, "new, behind");
            if (key % 100 == 50) store.delete(key);
        });
        assertThat(seen).isSorted().doesNotHaveDuplicates();
        assertThat(seen)
                .containsAll(IntStream.range(0, 600).map(key -> 2 * key).boxed().toList());
    }

    @Test
    void entriesAreCountedAndDeletedByRange() {
        KvStore<String, String> store = filled();
        IntStream.range(0, 600).forEach(i -> store.put("a/" + i, "v"));
        store.put("b", "v");
        assertThat(store.count(KeyRange.all())).isEqualTo(601);
        assertThat(store.count(KeyRange.startingWith("a/"))).isEqualTo(600);
        assertThat(store.deleteAll(KeyRange.<String>startingWith("a/").andBefore("a/1")))
                .isEqualTo(1);
        assertThat(store.deleteAll(KeyRange.startingWith("a/"))).isEqualTo(599);
        assertThat(store.deleteAll(KeyRange.startingWith("a/"))).isZero();
        assertThat(keys(store.scan())).containsExactly("b");
    }
}
