// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.codec.Codecs;
import dev.bellwether.error.LeaseLostException;
import dev.bellwether.error.RejectedException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.kv.StoreService;
import dev.bellwether.lock.Lease;
import dev.bellwether.queue.Delivery;
import dev.bellwether.queue.WorkQueue;
import dev.bellwether.queue.Worker;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.Power;
import dev.bellwether.store.CommitResult;
import dev.bellwether.store.CommitResult.Changed;
import dev.bellwether.store.CommitResult.Committed;
import dev.bellwether.store.CommitResult.Conflict;
import dev.bellwether.store.Entry;
import dev.bellwether.store.KvStore;
import dev.bellwether.store.Transaction;
import dev.bellwether.testkit.contract.Tap.Fate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Transactions are all or nothing and never rest on what has changed: on any backend. */
public abstract class TransactionContract extends StoreProcesses {
    private static final List<String> BOTH = List.of("a", "b");

    protected TransactionContract() {}

    private static final class NotEnough extends Exception {
        private static final long serialVersionUID = 1;
    }

    private static void move(Client bank, String from, String to, long cents) throws NotEnough {
        KvStore<String, Long> accounts = bank.counters();
        bank.transactions.run(tx -> {
            long payer = tx.get(accounts, from).orElse(0L);
            if (payer < cents) throw new NotEnough();
            tx.put(accounts, from, payer - cents);
            tx.put(accounts, to, tx.get(accounts, to).orElse(0L) + cents);
        });
    }

    // S1: all or nothing

    @Test
    void everythingHappensWithOneVersionS1() {
        Client client = client();
        KvStore<String, String> texts = client.texts();
        texts.put("b", "old");
        CommitResult result = client.transactions.attempt(
                tx -> tx.put(texts, "a", "1").delete(texts, "b").add(client.counters(), "c", 5));
        assertThat(result.isCommitted()).isTrue();
        long version = ((Committed) result).version();
        assertThat(texts.entry("a").version()).isEqualTo(version);
        assertThat(texts.entry("b").version()).isEqualTo(version);
        assertThat(client.counters().entry("c").version()).isEqualTo(version);
        assertThat(client.counters().get("c")).contains(5L);
        assertThat(texts.get("b")).isEmpty();
    }

    @Test
    void whatTheBodyThrowsComesOutUnchangedAndNothingHappenedS1() {
        Client client = client();
        NotEnough mine = new NotEnough();
        assertThatThrownBy(() -> client.transactions.run(tx -> {
                    tx.put(client.texts(), "a", "1");
                    throw mine;
                }))
                .isSameAs(mine);
        assertThat(client.texts().get("a")).isEmpty();
    }

    @Test
    void aRefusedEffectUndoesTheOthersAndIsNotTriedAgainS1() {
        Client client = client();
        KvStore<String, String> texts = client.texts();
        KvStore<String, Long> counters = client.store("texts", String.class, Long.class);
        texts.put("no counter", "text");
        client.tap.forget();
        assertThatThrownBy(() -> client.transactions.run(tx ->
                        tx.put(texts, "a", "1").add(counters, "no counter", 1).put(texts, "b", "2")))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("texts[no counter]")
                .hasMessageContaining("nothing was committed");
        assertThat(client.tap.count(request -> request instanceof Commit)).isEqualTo(1);
        assertThat(texts.getAll(List.of("a", "b", "no counter"))).containsOnlyKeys("no counter");
        assertThatThrownBy(() -> client.transactions.add(counters, "no counter", 1))
                .isInstanceOf(RejectedException.class);
    }

    @Test
    void manyEffectsAreOneCommit() {
        Client client = client();
        KvStore<Integer, String> store = client.store("many", Integer.class, String.class);
        int most = Math.min(10_000, client.tap.capabilities().limits().maxOperations());
        client.transactions.run(tx -> IntStream.range(0, most).forEach(key -> tx.put(store, key, "v")));
        List<Integer> keys = IntStream.range(0, most).boxed().toList();
        assertThat(store.getAll(keys)).hasSize(most);
        assertThat(store.entry(0).version()).isEqualTo(store.entry(most - 1).version());
        int over = client.tap.capabilities().limits().maxOperations() + 1;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.transactions.run(
                        tx -> IntStream.range(0, over).forEach(key -> tx.put(store, key, "too many"))))
                .withMessageContaining(String.valueOf(over - 1));
        assertThat(store.get(0)).contains("v");
    }

    // Reads

    @Test
    void aChangedReadRunsTheBodyAgain() {
        Client here = client();
        Client there = client();
        AtomicInteger runs = new AtomicInteger();
        String seen = here.transactions.call(tx -> {
            Optional<String> value = tx.get(here.texts(), "a");
            if (runs.incrementAndGet() == 1) there.texts().put("a", "theirs");
            tx.put(here.texts(), "b", value.orElse("nothing"));
            return value.orElse("nothing");
        });
        assertThat(seen).isEqualTo("theirs");
        assertThat(here.texts().get("b")).contains("theirs");
        assertThat(runs).hasValue(2);
    }

    @Test
    void somethingReadAsAbsentMustStillBeAbsent() {
        Client here = client();
        Client there = client();
        AtomicInteger runs = new AtomicInteger();
        boolean first = here.transactions.call(tx -> {
            boolean absent = tx.get(here.texts(), "a").isEmpty();
            if (runs.incrementAndGet() == 1) there.texts().put("a", "theirs");
            if (absent) tx.put(here.texts(), "a", "ours");
            return absent;
        });
        assertThat(first).isFalse();
        assertThat(here.texts().get("a")).contains("theirs");
    }

    @Test
    void aTransactionSeesItsOwnWrites() {
        Client client = client();
        KvStore<String, String> texts = client.texts();
        KvStore<String, Long> counters = client.counters();
        texts.put("a", "old");
        counters.put("c", 1L);
        client.transactions.run(tx -> {
            tx.put(texts, "a", "new").delete(texts, "b");
            assertThat(tx.get(texts, "a")).contains("new");
            assertThat(tx.get(texts, "b")).isEmpty();
            tx.delete(texts, "a");
            assertThat(tx.get(texts, "a")).isEmpty();
            tx.add(counters, "c", 2);
            assertThat(tx.get(counters, "c")).contains(3L);
            tx.max(counters, "new", 9);
            assertThat(tx.get(counters, "new")).contains(9L);
        });
        assertThat(counters.get("c")).contains(3L);
        assertThat(counters.get("new")).contains(9L);
    }

    @Test
    void movingMoneyKeepsTheSumAlsoToOneself() throws NotEnough {
        Client bank = client();
        bank.counters().put("ada", 100L);
        move(bank, "ada", "bob", 30);
        move(bank, "ada", "ada", 70);
        assertThat(bank.counters().getAll(List.of("ada", "bob")))
                .containsEntry("ada", 70L)
                .containsEntry("bob", 30L);
        assertThatThrownBy(() -> move(bank, "ada", "bob", 71)).isInstanceOf(NotEnough.class);
        assertThat(bank.counters().get("bob")).contains(30L);
    }

    @Test
    void aFailureOverEntriesThatNeverStoodTogetherRunsAgain() {
        Client here = client();
        Client there = client();
        KvStore<String, Long> counters = here.counters();
        here.transactions.run(tx -> tx.put(counters, "a", 1L).put(counters, "b", 1L));
        AtomicInteger runs = new AtomicInteger();
        long sum = here.transactions.call(tx -> {
            long a = tx.get(counters, "a").orElseThrow();
            if (runs.incrementAndGet() == 1) {
                there.transactions.run(
                        their -> their.put(counters(there), "a", 2L).put(counters(there), "b", 2L));
            }
            long b = tx.get(counters, "b").orElseThrow();
            if (a != b) throw new IllegalStateException("the two are always equal");
            return a + b;
        });
        assertThat(sum).isEqualTo(4);
        assertThat(runs).hasValue(2);
    }

    private static KvStore<String, Long> counters(Client client) {
        return client.counters();
    }

    @Test
    void readsAloneAreOfOneMoment() {
        Client here = client();
        Client there = client();
        AtomicInteger runs = new AtomicInteger();
        List<Optional<String>> seen = here.transactions.call(tx -> {
            Optional<String> a = tx.get(here.texts(), "a");
            if (runs.incrementAndGet() == 1) {
                there.transactions.run(
                        their -> their.put(there.texts(), "a", "1").put(there.texts(), "b", "1"));
            }
            return List.of(a, tx.get(here.texts(), "b"));
        });
        assertThat(seen).containsExactly(Optional.of("1"), Optional.of("1"));
    }

    @Test
    void aBodyThatIsAlwaysLateGivesUpNamingTheKeys() {
        Client here = client();
        Client there = client();
        AtomicInteger theirs = new AtomicInteger();
        assertThatThrownBy(() -> here.transactions.maxWait(ZERO).run(tx -> {
                    String unused = tx.get(here.texts(), "hot").orElse("");
                    there.texts().put("hot", "theirs " + theirs.incrementAndGet());
                    tx.put(here.texts(), "hot", "ours");
                }))
                .isInstanceOf(WaitTimeoutException.class)
                .hasMessageContaining("texts[hot]")
                .hasMessageContaining("nothing was committed");
        assertThat(here.texts().get("hot")).contains("theirs 1");
    }

    // Checks and conflicts

    @Test
    void aConflictNamesEverythingThatChangedWithWhatStandsThere() {
        Client client = client();
        KvStore<String, String> texts = client.texts();
        texts.put("a", "1");
        texts.put("same", "1");
        Entry<String, String> a = texts.entry("a");
        Entry<String, String> b = texts.entry("b");
        Entry<String, String> same = texts.entry("same");
        texts.put("a", "2");
        texts.put("b", "new");
        CommitResult result = client.transactions.attempt(
                tx -> tx.check(a).check(b).check(same).put(texts, "c", "never"));
        assertThat(result.isCommitted()).isFalse();
        List<Entry<?, ?>> changed = new ArrayList<>();
        for (CommitResult.Obstacle obstacle : ((Conflict) result).obstacles()) changed.add(((Changed) obstacle).now());
        assertThat(changed).hasSize(2);
        assertThat(changed.get(0)).isEqualTo(texts.entry("a"));
        assertThat(changed.get(0).value().map(Object::toString)).contains("2");
        assertThat(changed.get(1).key()).isEqualTo("b");
        assertThat(changed.get(1).value().map(Object::toString)).contains("new");
        assertThat(texts.get("c")).isEmpty();
    }

    @Test
    void aCheckFailsAfterDeleteAndAnEqualPut() {
        Client client = client();
        KvStore<String, String> texts = client.texts();
        texts.put("a", "same");
        Entry<String, String> seen = texts.entry("a");
        assertThat(client.transactions.attempt(tx -> tx.check(seen)).isCommitted())
                .isTrue();
        texts.delete("a");
        texts.put("a", "same");
        assertThat(client.transactions.attempt(tx -> tx.check(seen)).isCommitted())
                .isFalse();
    }

    @Test
    void anEntryThatExpiredIsAChangeToAbsent() {
        Client client = client();
        KvStore<String, String> texts = client.texts();
        texts.put("a", "v", ofMillis(100));
        Entry<String, String> seen = texts.entry("a");
        pass(ofMillis(101));
        CommitResult result = client.transactions.attempt(tx -> tx.check(seen));
        assertThat(((Changed) ((Conflict) result).obstacles().get(0)).now().isPresent())
                .isFalse();
    }

    @Test
    void aCheckedEntryNeedsNoReading() {
        Client client = client();
        KvStore<String, String> texts = client.texts();
        texts.put("a", "1");
        Entry<String, String> seen = texts.entry("a");
        client.tap.forget();
        client.transactions.run(tx -> {
            tx.check(seen);
            assertThat(tx.get(texts, "a")).contains("1");
        });
        assertThat(client.tap.requests()).hasSize(1);
    }

    // Effects on one key become one

    @Test
    void severalEffectsOnOneKeyBecomeOneInTheirOrder() {
        Client client = client();
        KvStore<String, String> texts = client.texts();
        KvStore<String, Long> counters = client.counters();
        counters.put("add", 10L);
        counters.put("deleted", 10L);
        counters.put("low", 10L);
        client.transactions.run(tx -> tx.put(texts, "a", "1")
                .delete(texts, "a")
                .put(texts, "a", "2")
                .add(counters, "add", 1)
                .add(counters, "add", -4)
                .delete(counters, "deleted")
                .add(counters, "deleted", 3)
                .put(counters, "put", 5L)
                .add(counters, "put", 2)
                .max(counters, "put", 100)
                .min(counters, "low", 3)
                .min(counters, "low", 7));
        assertThat(texts.get("a")).contains("2");
        assertThat(counters.getAll(List.of("add", "deleted", "put", "low")))
                .containsEntry("add", 7L)
                .containsEntry("deleted", 3L)
                .containsEntry("put", 100L)
                .containsEntry("low", 3L);
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        client.transactions.run(tx -> tx.add(counters, "x", 1).max(counters, "x", 1)))
                .withMessageContaining("counters[x]");
    }

    // Counters

    @Test
    void countersAreSignedDoNotConflictAndTellTheirNumber() {
        Client client = client();
        KvStore<String, Long> counters = client.counters();
        assertThat(client.transactions.add(counters, "c", 5)).isEqualTo(5);
        assertThat(client.transactions.add(counters, "c", -7)).isEqualTo(-2);
        client.transactions.run(tx -> tx.min(counters, "c", -10).max(counters, "d", -3));
        assertThat(counters.get("c")).contains(-10L);
        assertThat(counters.get("d")).contains(-3L);
    }

    @Test
    void aCounterBeyond64BitsIsRejectedAndUnchanged() {
        Client client = client();
        KvStore<String, Long> counters = client.counters();
        counters.put("c", Long.MAX_VALUE);
        assertThatThrownBy(() -> client.transactions.add(counters, "c", 1)).isInstanceOf(RejectedException.class);
        assertThatThrownBy(() -> client.transactions.run(tx -> tx.add(counters, "c", 1)))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("counters[c]");
        assertThatThrownBy(() -> client.transactions.attempt(tx -> tx.add(counters, "c", 1)))
                .isInstanceOf(RejectedException.class);
        assertThat(counters.get("c")).contains(Long.MAX_VALUE);
    }

    // Where and when a transaction may be used

    @Test
    void twoPartitionsAreRefusedWithTheRemedyOrCommittedTogether() {
        Client client = client();
        StoreService spread = new StoreService(client.spread);
        KvStore<String, String> store = spread.store("spread", String.class, Codecs.of(String.class));
        if (client.can(Power.CROSS_PARTITION)) {
            spread.transactions().run(tx -> tx.put(store, "a", "1").put(store, "b", "1"));
            assertThat(store.getAll(BOTH)).hasSize(2);
        } else {
            assertThatIllegalStateException()
                    .isThrownBy(() -> spread.transactions()
                            .run(tx -> tx.put(store, "a", "1").put(store, "b", "1")))
                    .withMessageContaining("wrap both in bw.colocated(…)")
                    .withMessageContaining("spread[a]")
                    .withMessageContaining("spread[b]");
            assertThat(store.getAll(BOTH)).isEmpty();
        }
    }

    @Test
    void aTransactionThatHasEndedIsNotSpokenTo() {
        Client client = client();
        Transaction late = client.transactions.call(tx -> tx);
        assertThatIllegalStateException().isThrownBy(() -> late.put(client.texts(), "a", "1"));
        assertThatIllegalStateException().isThrownBy(() -> late.get(client.texts(), "a"));
    }

    @Test
    void aSubmittedTransactionDoesNotReadAndTellsHowItEnded() {
        Client client = client();
        KvStore<String, String> texts = client.texts();
        Entry<String, String> absent = texts.entry("a");
        CommitResult first =
                answer(client.transactions.submit(tx -> tx.check(absent).put(texts, "a", "1")));
        CommitResult second =
                answer(client.transactions.submit(tx -> tx.check(absent).put(texts, "a", "2")));
        assertThat(first.isCommitted()).isTrue();
        assertThat(second.isCommitted()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> client.transactions.submit(tx -> tx.get(texts, "b")))
                .withMessageContaining("does not read");
        assertThat(answer(client.transactions.submit(tx -> {})).isCommitted()).isTrue();
    }

    // S4: lost answers

    @Test
    void aCommitWhoseAnswerWasLostHappensOnceS4() {
        Client client = client();
        AtomicInteger commits = new AtomicInteger();
        client.tap.decide(request -> commits.incrementAndGet() <= 2 ? Fate.ANSWER_LOST : Fate.SERVED);
        CommitResult result = answer(client.transactions.submit(tx -> tx.add(client.counters(), "c", 1)));
        assertThat(result.isCommitted()).isTrue();
        assertThat(commits).hasValue(3);
        assertThat(client.counters().get("c")).contains(1L);
    }

    // Leases and queues

    private Lease lease(Client client, String name) {
        return answer(client.locks.exclusive(name).lease(ofSeconds(2)).async().acquire());
    }

    @Test
    void aRequiredLeaseMustBeHeld() {
        Client client = client();
        KvStore<String, String> texts = client.texts();
        Lease lease = lease(client, "job");
        client.transactions.run(tx -> tx.require(lease).put(texts, "a", "held"));
        boolean released = answer(client.locks.exclusive("job").async().release(lease));
        assertThat(released).isTrue();
        assertThatThrownBy(() -> client.transactions.run(tx -> tx.require(lease).put(texts, "a", "not held")))
                .isInstanceOfAny(LeaseLostException.class, IllegalStateException.class);
        assertThat(texts.get("a")).contains("held");
    }

    @Test
    void aLeaseThatTheStoreHasPassedOnCommitsNothing() {
        Client here = client();
        Client there = client();
        Lease lease = lease(here, "job");
        here.tap.decide(request -> Fate.SWALLOWED);
        pass(ofSeconds(3));
        Lease next = lease(there, "job");
        here.tap.serveAll();
        assertThatThrownBy(() -> here.transactions.run(tx -> tx.require(lease).put(here.texts(), "a", "late")))
                .isInstanceOf(LeaseLostException.class);
        there.transactions.run(tx -> tx.require(next).put(there.texts(), "b", "in time"));
        assertThat(here.texts().getAll(BOTH)).containsOnlyKeys("b");
    }

    @Test
    void messagesAreEnqueuedWithTheRestOrNotAtAllAndEffectsHappenOnceQ4() {
        Client client = client();
        KvStore<String, Long> counters = client.counters();
        WorkQueue<String> notices = client.queues.queue("notices", Codecs.of(String.class));
        assertThatThrownBy(() -> client.transactions.run(tx -> {
                    tx.put(client.texts(), "a", "1").enqueue(notices, "never");
                    throw new NotEnough();
                }))
                .isInstanceOf(NotEnough.class);
        client.transactions.run(
                tx -> tx.put(client.texts(), "a", "1").enqueue(notices, "ada").enqueue(notices, "bob"));
        List<Delivery<String>> deliveries = new ArrayList<>();
        try (Worker worker = notices.worker().startWithDelivery((notice, delivery) -> {
            deliveries.add(delivery);
            client.transactions.run(delivery, tx -> tx.add(counters, notice, 1).add(counters, "all", 1));
        })) {
            await("both were handled", () -> deliveries.size() == 2);
            await("both were counted", () -> counters.get("all").equals(Optional.of(2L)));
            assertThat(worker.isRunning()).isTrue();
            pass(ofMillis(50));
            assertThatThrownBy(() -> client.transactions.run(deliveries.get(0), tx -> tx.add(counters, "all", 1)))
                    .isInstanceOf(LeaseLostException.class);
        }
        assertThat(counters.getAll(List.of("ada", "bob", "all", "never")))
                .containsEntry("ada", 1L)
                .containsEntry("bob", 1L)
                .containsEntry("all", 2L)
                .hasSize(3);
        assertThat(notices.stats().ready()).isZero();
    }

    @Test
    void aQueueAtItsBoundRejectsTheWholeTransaction() {
        Client client = client();
        WorkQueue<String> bounded =
                client.queues.queue("notices", Codecs.of(String.class)).bounded(1);
        client.transactions.run(tx -> tx.enqueue(bounded, "first"));
        CompletableFuture<CommitResult> second = client.transactions.submit(
                tx -> tx.put(client.texts(), "a", "1").enqueue(bounded, "second"));
        assertThat(failure(second)).isInstanceOf(RejectedException.class).hasMessageContaining("notices");
        assertThat(client.texts().get("a")).isEmpty();
    }
}
