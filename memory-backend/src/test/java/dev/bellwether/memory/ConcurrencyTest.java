// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import static dev.bellwether.memory.Wishes.enqueue;
import static dev.bellwether.memory.Wishes.key;
import static dev.bellwether.memory.Wishes.lease;
import static dev.bellwether.memory.Wishes.now;
import static dev.bellwether.memory.Wishes.queue;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.RequestId;
import dev.bellwether.time.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConcurrencyTest {
    private static final int THREADS = 6;
    private static final int TURNS = 2_000;
    private static final Duration TTL = Duration.ofMinutes(1);

    private final MemoryBackend backend = MemoryBackend.create();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, Threads.named("test"));

    private interface Turn {
        void run(int thread, int turn) throws Exception;
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        backend.close();
    }

    @Test
    void conditionalIncrementsOfManyThreadsSumUpExactly_S1() throws Exception {
        onAllThreads((thread, turn) -> {
            boolean done = false;
            while (!done) done = incrementConditionally();
        });

        assertThat(number()).isEqualTo((long) THREADS * TURNS);
    }

    @Test
    void countsOfManyThreadsSumUpExactlyAndEachAnswersAnotherNumber_S1() throws Exception {
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        onAllThreads((thread, turn) -> {
            CommitReply.Committed reply = (CommitReply.Committed) now(backend.commit(Commit.of(new EntryMutation.Count(
                    key("n"), EntryMutation.Op.ADD, 1, EntryMutation.Overflow.FAIL, Expiry.NEVER))));
            seen.add(((dev.bellwether.spi.Outcome.Counted) reply.outcomes().get(0)).number());
        });

        assertThat(number()).isEqualTo((long) THREADS * TURNS);
        assertThat(seen).hasSize(THREADS * TURNS);
    }

    @Test
    void twoEntriesOfOneCommitAreNeverReadApart_S1() throws Exception {
        onAllThreads((thread, turn) -> {
            String value = thread + ":" + turn;
            if (thread % 2 == 0) {
                now(backend.commit(Commit.of(Wishes.put("left", value), Wishes.put("right", value))));
                return;
            }
            List<KvEntry> both =
                    Wishes.read(backend, false, key("left"), key("right")).entries();
            assertThat(both.get(0).version()).isEqualTo(both.get(1).version());
        });
    }

    @Test
    void anArmedReadNeverMissesTheChangeAfterIt() throws Exception {
        Semaphore hinted = new Semaphore(0);
        backend.listen(hint -> {
            if (hint.equals(new Hint.Changed(key("n")))) hinted.release();
        });
        Future<?> writer = threads.submit(() -> {
            for (int i = 1; i <= 20_000; i++) put(i);
        });

        for (long seen = armedNumber(); seen < 20_000; seen = armedNumber()) {
            assertThat(hinted.tryAcquire(20, TimeUnit.SECONDS))
                    .as("a hint after " + seen)
                    .isTrue();
            hinted.drainPermits();
        }
        writer.get();
    }

    @Test
    void oneHolderAtATimeAndTokensGrowFromHolderToHolder_L1_L2() throws Exception {
        AtomicInteger holders = new AtomicInteger();
        List<Long> tokens = new ArrayList<>();
        onAllThreads((thread, turn) -> {
            Owner owner = new Owner(thread + 1L, turn);
            if (!(now(backend.acquire(LeaseRequest.of(lease("l"), owner, TTL))) instanceof Acquisition.Granted granted))
                return;
            assertThat(holders.incrementAndGet()).isEqualTo(1);
            tokens.add(granted.tokens().first());
            holders.decrementAndGet();
            now(backend.commit(Commit.of(new LeaseMutation.Release(lease("l"), owner, Quiet.NONE))));
        });

        assertThat(tokens).isNotEmpty().isSorted().doesNotHaveDuplicates();
    }

    @Test
    void everyMessageIsHandedOutOnceAmongManyConsumers_Q1_Q2() throws Exception {
        ConcurrentLinkedQueue<Bytes> delivered = new ConcurrentLinkedQueue<>();
        onAllThreads((thread, turn) -> {
            Bytes payload = Bytes.utf8(thread + ":" + turn);
            enqueue(backend, queue("q"), Message.of(payload));
            Claim claim = now(backend.claim(
                    new ClaimRequest(queue("q"), new RequestId(thread, turn), List.of(), 2, TTL, Duration.ZERO)));
            for (Claim.Handout handout : claim.handouts()) {
                delivered.add(handout.payload());
                now(backend.commit(Commit.of(new QueueMutation.Ack(handout.receipt()))));
            }
        });

        assertThat(delivered).hasSize(THREADS * TURNS).doesNotHaveDuplicates();
    }

    private boolean incrementConditionally() {
        KvEntry entry = Wishes.get(backend, key("n"));
        long next = entry instanceof KvEntry.Present present
                ? Counter.decode(present.value()).orElseThrow() + 1
                : 1;
        Check check = entry instanceof KvEntry.Present
                ? new Check.Is(key("n"), entry.version(), false)
                : new Check.Vacant(key("n"), false);
        EntryMutation put = new EntryMutation.Put(key("n"), Counter.encode(next), Expiry.NEVER);
        return now(backend.commit(Wishes.guarded(check, put))) instanceof CommitReply.Committed;
    }

    private void put(long number) {
        now(backend.commit(Commit.of(new EntryMutation.Put(key("n"), Counter.encode(number), Expiry.NEVER))));
    }

    private long number() {
        return number(Wishes.get(backend, key("n")));
    }

    private long armedNumber() {
        return number(Wishes.read(backend, true, key("n")).entries().get(0));
    }

    private static long number(KvEntry entry) {
        return entry instanceof KvEntry.Present present
                ? Counter.decode(present.value()).orElseThrow()
                : 0;
    }

    private void onAllThreads(Turn turn) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            running.add(threads.submit(() -> {
                for (int j = 0; j < TURNS; j++) turn.run(thread, j);
                return null;
            }));
        }
        for (Future<?> each : running) each.get(50, TimeUnit.SECONDS);
    }
}
