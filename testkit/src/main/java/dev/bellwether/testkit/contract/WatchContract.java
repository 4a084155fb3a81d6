// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.error.ClosedException;
import dev.bellwether.spi.Query;
import dev.bellwether.store.Entry;
import dev.bellwether.store.KvStore;
import dev.bellwether.store.KvStore.Watch;
import dev.bellwether.testkit.contract.Tap.Fate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A watch tells the latest state and never an older one, whatever becomes of hints and requests: on any backend. */
public abstract class WatchContract extends StoreProcesses {
    private final List<Entry<String, String>> told = new CopyOnWriteArrayList<>();

    protected WatchContract() {}

    private String last() {
        if (told.isEmpty()) return "nothing told";
        Entry<String, String> entry = told.get(told.size() - 1);
        return entry.key() + "=" + entry.value().orElse("absent");
    }

    private Watch watch(Client client, String... keys) {
        return client.texts().watch(List.of(keys), told::add);
    }

    private void awaitLast(String state) {
        await("told " + state, () -> last().equals(state));
    }

    @Test
    void aWatchBeginsWithWhatIsThereAndGoesOnWithWhatAnotherProcessWrites() {
        Client here = client();
        KvStore<String, String> there = client().texts();
        there.put("a", "1");
        try (Watch watch = watch(here, "a", "b")) {
            await("both told", () -> told.size() == 2);
            assertThat(told).extracting(Entry::key).containsExactly("a", "b");
            assertThat(told.get(0).value()).contains("1");
            assertThat(told.get(1).isPresent()).isFalse();
            there.put("b", "2");
            awaitLast("b=2");
            there.delete("b");
            awaitLast("b=absent");
            there.put("a", "3");
            awaitLast("a=3");
            assertThat(watch.ended().toCompletableFuture()).isNotDone();
        }
    }

    @Test
    void theSameValueAgainIsAChangeAndDeletingNothingIsNone() {
        Client here = client();
        KvStore<String, String> there = client().texts();
        try (Watch watch = watch(here, "a", "b")) {
            awaitLast("b=absent");
            there.put("a", "1");
            awaitLast("a=1");
            int before = told.size();
            there.put("a", "1");
            await("told again", () -> told.size() == before + 1);
            there.delete("b");
            pass(ofMillis(50));
            assertThat(told).hasSize(before + 1);
            assertThat(watch.ended().toCompletableFuture()).isNotDone();
        }
    }

    @Test
    void versionsOfOneKeyNeverGoBackAndTheLastStateIsTold() {
        Client here = client();
        KvStore<String, String> there = client().texts();
        try (Watch watch = watch(here, "a")) {
            for (int i = 0; i < 300; i++) {
                there.put("a", "v" + i);
                if (i % 7 == 0) pass(ofMillis(1));
            }
            awaitLast("a=v299");
            assertThat(told.stream().map(Entry::version)).isSorted().doesNotHaveDuplicates();
            assertThat(watch.ended().toCompletableFuture()).isNotDone();
        }
    }

    @Test
    void theEndOfAnEntryIsToldWithinASecond() {
        Client here = client();
        KvStore<String, String> there = client().texts();
        there.put("a", "1", ofMillis(600));
        try (Watch watch = watch(here, "a")) {
            awaitLast("a=1");
            long begin = timer().nanoTime();
            awaitLast("a=absent");
            assertThat(timer().nanoTime() - begin).isLessThan(ofMillis(1_600).toNanos());
            there.put("a", "2", ofSeconds(60));
            awaitLast("a=2");
            assertThat(watch.ended().toCompletableFuture()).isNotDone();
        }
    }

    @Test
    void withoutAnyHintItIsToldWithinTheWatchsOwnTurn() {
        Client here = client();
        here.tap.dropHints(true);
        KvStore<String, String> there = client().texts();
        try (Watch watch = watch(here, "a")) {
            awaitLast("a=absent");
            there.put("a", "1");
            awaitLast("a=1");
            assertThat(watch.ended().toCompletableFuture()).isNotDone();
        }
    }

    @Test
    void aDoubtMakesItLookAtOnce() {
        Client here = client();
        here.tap.dropHints(true);
        KvStore<String, String> there = client().texts();
        try (Watch watch = watch(here, "a")) {
            awaitLast("a=absent");
            there.put("a", "1");
            here.tap.doubt();
            here.tap.forget();
            pass(ofMillis(100));
            assertThat(here.tap.count(request -> request instanceof Query)).isLessThan(3);
            awaitLast("a=1");
            assertThat(watch.ended().toCompletableFuture()).isNotDone();
        }
    }

    @Test
    void anIdleWatchAsksSeldom() {
        Client here = client();
        try (Watch watch = watch(here, "a", "b", "c")) {
            awaitLast("c=absent");
            here.tap.forget();
            pass(ofSeconds(6));
            assertThat(here.tap.requests()).hasSizeBetween(1, 2);
            assertThat(watch.ended().toCompletableFuture()).isNotDone();
        }
    }

    @Test
    void itGoesOnAfterTheStoreWasAway() {
        Client here = client();
        KvStore<String, String> there = client().texts();
        try (Watch watch = watch(here, "a")) {
            awaitLast("a=absent");
            here.tap.decide(request -> Fate.REFUSED);
            there.put("a", "1");
            pass(ofMillis(500));
            here.tap.serveAll();
            awaitLast("a=1");
            assertThat(watch.ended().toCompletableFuture()).isNotDone();
        }
    }

    @Test
    void aReactionThatThrowsHarmsNothing() {
        Client here = client();
        KvStore<String, String> there = client().texts();
        AtomicInteger failures = new AtomicInteger();
        try (Watch watch = here.texts().watch(List.of("a"), entry -> {
            told.add(entry);
            if (failures.incrementAndGet() < 3) throw new IllegalStateException("of the test");
        })) {
            awaitLast("a=absent");
            there.put("a", "1");
            awaitLast("a=1");
            there.put("a", "2");
            awaitLast("a=2");
            assertThat(watch.ended().toCompletableFuture()).isNotDone();
        }
    }

    @Test
    void closingEndsItAndLeavesNothingE1() {
        Client here = client();
        KvStore<String, String> there = client().texts();
        Watch watch = watch(here, "a");
        awaitLast("a=absent");
        watch.close();
        watch.close();
        assertThat(watch.ended().toCompletableFuture()).isDone();
        assertThat(here.engine.hints().size()).isZero();
        here.tap.forget();
        there.put("a", "1");
        pass(ofSeconds(6));
        assertThat(last()).isEqualTo("a=absent");
        assertThat(here.tap.requests()).isEmpty();
    }

    @Test
    void closingTheServicesEndsEveryWatchE1() {
        Client here = client();
        Watch byService = watch(here, "a");
        Watch byEngine = client().texts().watch(List.of("a"), told::add);
        here.stores.close();
        assertThat(byService.ended().toCompletableFuture()).isDone();
        assertThat(here.engine.hints().size()).isZero();
        assertThatThrownBy(() -> watch(here, "a")).isInstanceOf(ClosedException.class);
        assertThat(byEngine.ended().toCompletableFuture()).isNotDone();
    }

    @Test
    void aWatchEndsByItselfOnceItsBellwetherIsClosed() {
        Client here = client();
        Watch watch = watch(here, "a");
        here.spread.close();
        await("ended", watch.ended().toCompletableFuture()::isDone);
    }

    @Test
    void aWatchOfNothingHasEnded() {
        assertThat(watch(client()).ended().toCompletableFuture()).isDone();
    }
}
