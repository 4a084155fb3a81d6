// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.codec.Codecs;
import dev.bellwether.delivery.QueueService;
import dev.bellwether.engine.CommitPart;
import dev.bellwether.engine.Engine;
import dev.bellwether.error.LeaseLostException;
import dev.bellwether.error.RejectedException;
import dev.bellwether.queue.DeadLetters.Letter;
import dev.bellwether.queue.Delivery;
import dev.bellwether.queue.Envelope;
import dev.bellwether.queue.Recurrence;
import dev.bellwether.queue.WorkQueue;
import dev.bellwether.queue.Worker;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation.Count;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Query;
import dev.bellwether.testkit.ManualTime;
import dev.bellwether.time.Backoff;
import dev.bellwether.time.Threads;
import dev.bellwether.time.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Queues as their users see them, on a backend: laws Q1 to Q6 and the faults of other queues (the numbers in comments).
 * A backend passes when this class, extended with {@link #create()} alone, passes. On a backend whose clock is manual,
 * so are timer and threads of the engine.
 */
@TestInstance(TestInstance.Lifecycle.PER_METHOD)
public abstract class QueueEngineContract {
    /** Several times what a loaded machine needs for a heartbeat. */
    private static final Duration LEASE = ofMillis(900);

    private static final Duration PATIENCE = ofSeconds(20);
    private static final Duration STEP = ofMillis(10);

    private final List<QueueService> services = new ArrayList<>();
    private final List<Engine> engines = new ArrayList<>();
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final String namespace = "queues-" + UUID.randomUUID();
    private BackendUnderTest fixture;
    private Timer timer;
    private Executor executor;
    private ExecutorService threads;
    private Process here;
    private WorkQueue<String> mails;

    protected QueueEngineContract() {}

    /** A fresh backend; called once for each test, which closes it. */
    protected abstract BackendUnderTest create();

    /** What one process has. */
    private record Process(Severable connection, Engine engine, QueueService service, WorkQueue<String> mails) {}

    /** Tasks that wait until the test runs them: a handler that is handed over and takes its time. */
    private static final class Held implements Executor {
        private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        void run() {
            for (int left = tasks.size(); left > 0; left--) tasks.remove().run();
        }
    }

    @BeforeEach
    final void open() {
        fixture = create();
        if (fixture instanceof ManualFixture manual) {
            ManualTime time = manual.time();
            timer = time;
            executor = time;
        } else {
            timer = Timer.system();
            threads = Threads.workers("contract");
            executor = threads;
        }
        here = process();
        mails = here.mails();
    }

    @AfterEach
    final void close() {
        services.forEach(QueueService::close);
        engines.forEach(Engine::close);
        if (threads != null) threads.shutdown();
        fixture.close();
    }

    private Process process() {
        Severable connection = new Severable(fixture.backend());
        Engine.Settings settings = new Engine.Settings(namespace, ofMillis(500), ofSeconds(3), "contract", null);
        Engine engine = new Engine(connection, timer, executor, settings);
        QueueService service = new QueueService(engine);
        engines.add(engine);
        services.add(service);
        return new Process(connection, engine, service, service.queue("mails", Codecs.of(String.class)));
    }

    private void pass(Duration length) {
        fixture.advance(length);
    }

    private void eventually(BooleanSupplier condition) {
        Duration waited = ZERO;
        pass(ZERO);
        while (!condition.getAsBoolean()) {
            assertThat(waited)
                    .as("waited in vain; sent %s, %s", sent, mails.stats())
                    .isLessThan(PATIENCE);
            pass(STEP);
            waited = waited.plus(STEP);
        }
    }

    private void eventuallySent(String... messages) {
        eventually(() -> sent.size() >= messages.length);
        assertThat(sent).containsExactly(messages);
    }

    private boolean isEmpty() {
        WorkQueue.Stats stats = mails.stats();
        return stats.ready() + stats.delayed() + stats.inFlight() == 0;
    }

    private void eventuallyEmpty() {
        eventually(this::isEmpty);
    }

    private static List<String> numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
    }

    // ---- Q1: until it is done

    @Test
    void q1EveryMessageIsHandledOnceByTwoProcesses() { // deno case 14, queue fault 2
        here.mails().worker().concurrency(8).start(sent::add);
        process().mails().worker().concurrency(8).start(sent::add);
        List<CompletableFuture<String>> ids = new ArrayList<>();
        for (String message : numbered(500)) ids.add(mails.async().enqueue(message));
        eventually(() -> sent.size() >= 500);
        eventuallyEmpty();
        assertThat(sent).containsExactlyInAnyOrderElementsOf(numbered(500));
        assertThat(new HashSet<>(ids.stream().map(CompletableFuture::join).toList()))
                .hasSize(500);
    }

    @Test
    void q1AFailedAttemptComesBackUntilItSucceeds() {
        mails.worker().backoff(Backoff.fixed(ofMillis(20))).startWithDelivery((message, delivery) -> {
            sent.add(message + delivery.attempt());
            if (delivery.attempt() < 3) throw new IOException("not yet");
        });
        mails.enqueue("x");
        eventuallySent("x1", "x2", "x3");
        eventuallyEmpty();
        assertThat(mails.stats().dead()).isZero();
    }

    @Test
    void q1AMessageGivenUpLiesWithTheDeadLettersUntilItIsRequeuedOrPurged() { // queue faults 14, 58, 67
        List<String> failing = new CopyOnWriteArrayList<>(List.of("x", "y"));
        mails.worker()
                .concurrency(2)
                .maxAttempts(2)
                .backoff(Backoff.fixed(ofMillis(5)))
                .start(message -> {
                    if (failing.contains(message)) throw new IOException("no route ".repeat(1_000));
                    sent.add(message);
                });
        String id = mails.enqueue("x", Envelope.now().dedupe("once", ofMinutes(10)));
        mails.enqueue("y");
        eventually(() -> mails.stats().dead() == 2);
        Letter<String> letter = mails.deadLetters().find(id).orElseThrow();
        assertThat(letter.message()).contains("x");
        assertThat(letter.attempts()).isEqualTo(2);
        assertThat(letter.reason()).startsWith("java.io.IOException: no route").hasSizeLessThan(1_000);
        assertThat(mails.deadLetters().stream().map(Letter::id)).hasSize(2).contains(id);
        assertThat(mails.enqueue("z", Envelope.now().dedupe("once", ofMinutes(10))))
                .isNotEqualTo(id);
        eventuallySent("z");
        failing.clear();
        assertThat(letter.requeue()).isTrue();
        eventuallySent("z", "x");
        assertThat(letter.requeue()).isFalse();
        assertThat(mails.deadLetters().purgeAll()).isEqualTo(1);
        assertThat(mails.deadLetters().stream()).isEmpty();
    }

    @Test
    void q1TheMessagesOfADeadProcessGoToOthersAfterOneLease() { // queue faults 8, 10, 13, 19
        Process dead = process();
        Held handlers = new Held();
        dead.mails().worker().lease(LEASE).executor(handlers).start(sent::add);
        mails.enqueue("x");
        eventually(() -> !handlers.tasks.isEmpty());
        dead.connection().cut();
        mails.worker().startWithDelivery((message, delivery) -> sent.add(message + delivery.attempt()));
        eventuallySent("x2");
        handlers.run();
        eventuallyEmpty();
        assertThat(sent).containsExactly("x2"); // the dead one had lost it before its handler began
    }

    @Test
    void q1UndecodableBytesAreAFailedAttemptAndHarmNobodyElse() { // queue fault 83
        here.service().queue("mails", Codecs.of(Long.class)).enqueue(7L);
        mails.worker().maxAttempts(2).backoff(Backoff.fixed(ofMillis(5))).start(sent::add);
        mails.enqueue("good");
        eventuallySent("good");
        eventually(() -> mails.stats().dead() == 1);
        assertThat(mails.deadLetters().stream().toList().get(0).message()).isEmpty();
    }

    @Test
    void q1AnyBytesSurvive() { // queue fault 61
        byte[] bytes = new byte[100_000];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (i * 31 + i / 251);
        WorkQueue<byte[]> blobs = here.service().queue("blobs", Codecs.of(byte[].class));
        List<byte[]> received = new CopyOnWriteArrayList<>();
        blobs.worker().start(received::add);
        blobs.enqueue(bytes, Envelope.now().header("k\0\u20ac", "v\0\uD83D\uDE00"));
        blobs.enqueue(new byte[0]);
        eventually(() -> received.size() == 2);
        assertThat(received.get(0)).isEqualTo(bytes);
        assertThat(received.get(1)).isEmpty();
    }

    @Test
    void q1WhatAWorkerHoldsWhenItClosesGoesBackWithoutAPenalty() { // queue faults 31, 32
        Worker worker = mails.worker().concurrency(3).executor(new Held()).start(sent::add);
        mails.enqueueAll(numbered(5));
        eventually(() -> mails.stats().inFlight() == 3);
        worker.close();
        assertThat(worker.isRunning()).isFalse();
        assertThat(mails.stats().inFlight()).isZero();
        assertThat(mails.stats().ready()).isEqualTo(5);
        mails.worker().startWithDelivery((message, delivery) -> sent.add(message + delivery.attempt()));
        eventuallySent("m01", "m11", "m21", "m31", "m41");
    }

    @Test
    void q1ConsumptionResumesAfterEachCut() { // queue faults 38, 40, deno case 20
        Worker worker = mails.worker().lease(LEASE).start(sent::add);
        Process other = process();
        for (int i = 0; i < 5; i++) {
            here.connection().cut();
            other.mails().enqueue("m" + i);
            pass(ofMillis(50));
            here.connection().mend();
            int wanted = i + 1;
            eventually(() -> sent.size() >= wanted);
        }
        eventuallyEmpty();
        assertThat(worker.isRunning()).isTrue();
    }

    // ---- Q2: never early, never to two

    @Test
    void q2AMessageIsNotDeliveredBeforeItIsDue() { // queue faults 5, 46, 47, 80
        List<Long> late = new CopyOnWriteArrayList<>();
        mails.worker().concurrency(4).start(message -> {
            sent.add(message);
            if (!message.equals("now")) late.add(timer.nanoTime());
        });
        long begun = timer.nanoTime();
        for (int i = 1; i <= 5; i++) mails.enqueue("late" + i, ofMillis(100L * i));
        mails.enqueue("now");
        eventually(() -> sent.size() == 6);
        assertThat(sent.get(0)).isEqualTo("now");
        for (int i = 1; i <= 5; i++) {
            assertThat(late.get(i - 1) - begun).isGreaterThanOrEqualTo(99_000_000L * i); // clocks differ by 1 %
        }
    }

    @Test
    void q2DelaysOfAnyLengthAreKept() { // queue faults 43, 44
        for (Duration delay : List.of(ofMillis(1L << 31), Duration.ofDays(400), Duration.ofSeconds(Long.MAX_VALUE))) {
            mails.enqueue("far", delay);
        }
        mails.worker().start(sent::add);
        pass(ofMillis(100));
        assertThat(sent).isEmpty();
        assertThat(mails.stats().delayed()).isEqualTo(3);
    }

    @Test
    void q2ADeliveryLostToAnotherIsToldAndItsReceiptChangesNothing() { // queue faults 1, 4, 16, 20
        Process slow = process();
        List<Delivery<String>> lost = new CopyOnWriteArrayList<>();
        Held handlers = new Held();
        slow.mails().worker().lease(LEASE).executor(handlers).startWithDelivery((message, delivery) -> {
            lost.add(delivery);
            slow.connection().cut();
            eventuallyInHandler(() -> !delivery.isCurrent());
        });
        mails.enqueue("x");
        eventually(() -> !handlers.tasks.isEmpty());
        handlers.run();
        assertThat(Thread.interrupted()).isFalse();
        assertThatThrownBy(lost.get(0)::ensureCurrent).isInstanceOf(LeaseLostException.class);
        Held second = new Held();
        mails.worker().executor(second).startWithDelivery((message, delivery) -> {
            sent.add(message + " " + delivery.isCurrent());
        });
        eventually(() -> !second.tasks.isEmpty());
        slow.connection().mend(); // its late acknowledgement arrives now, while the second delivery is out
        pass(LEASE.dividedBy(2));
        assertThat(mails.stats().inFlight()).isEqualTo(1);
        second.run();
        eventuallyEmpty();
        assertThat(sent).containsExactly("x true");
    }

    /** As eventually, where an interrupt is what is waited for. */
    private void eventuallyInHandler(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) pass(ofMillis(1));
    }

    // ---- Q3: alive keeps

    @Test
    void q3AHandlerThatIsAliveKeepsItsMessageForManyLeases() { // queue fault 22, deno case 17
        Held handlers = new Held();
        mails.worker().lease(ofSeconds(2)).executor(handlers).start(sent::add);
        mails.enqueue("x");
        eventually(() -> !handlers.tasks.isEmpty());
        process().mails().worker().start(message -> sent.add("stolen " + message));
        pass(ofSeconds(5));
        assertThat(mails.stats().inFlight()).isEqualTo(1);
        handlers.run();
        eventuallySent("x");
        eventuallyEmpty();
    }

    // ---- Q4: effects once

    @Test
    void q4EffectsCommittedWithTheDeliveryHappenOnce() { // queue faults 1, 16
        KvKey key = new KvKey(
                here.engine().queue(here.engine().prefix("q", "mails")).partition(), Bytes.utf8(namespace));
        List<CommitPart> parts = new CopyOnWriteArrayList<>();
        List<CommitReply> replies = new CopyOnWriteArrayList<>();
        List<Boolean> current = new CopyOnWriteArrayList<>();
        mails.worker().startWithDelivery((message, delivery) -> {
            CommitPart part = (CommitPart) delivery;
            parts.add(part);
            part.begin();
            replies.add(commit(part, key));
            part.ended(CommitPart.Ending.COMMITTED);
            current.add(delivery.isCurrent());
        });
        mails.enqueue("x");
        eventually(() -> !replies.isEmpty());
        eventuallyEmpty();
        assertThat(replies).hasSize(1).hasOnlyElementsOfType(CommitReply.Committed.class);
        assertThat(current).containsExactly(false);
        assertThat(commit(parts.get(0), key)).isInstanceOf(CommitReply.Conflict.class);
        KvEntry entry = await(here.engine().backend().read(new Query.Keys(List.of(key), false)))
                .entries()
                .get(0);
        assertThat(Counter.decode(((KvEntry.Present) entry).value())).hasValue(1L);
    }

    private CommitReply commit(CommitPart part, KvKey key) {
        List<Mutation> mutations = new ArrayList<>(part.mutations());
        mutations.add(new Count(key, Count.Op.ADD, 1, Count.Overflow.FAIL, Expiry.NEVER));
        return await(here.engine().backend().commit(new Commit(here.engine().newRequestId(), List.of(), mutations)));
    }

    private static <T> T await(java.util.concurrent.CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(10, java.util.concurrent.TimeUnit.SECONDS)
                .join();
    }

    // ---- Q5: order

    @Test
    void q5FirstInFirstOut() {
        mails.enqueueAll(numbered(300));
        mails.worker().start(sent::add);
        eventually(() -> sent.size() == 300);
        assertThat(sent).isEqualTo(numbered(300));
    }

    @Test
    void q5PriorityGoesFirst() {
        mails.enqueue("low", Envelope.now().priority(3));
        mails.enqueue("high");
        mails.enqueue("middle", Envelope.now().priority(1));
        mails.worker().start(sent::add);
        eventuallySent("high", "middle", "low");
    }

    @Test
    void q5AGroupKeepsItsOrderAndARetryHoldsOnlyItsOwn() { // queue faults 23, 76
        List<String> failing = new CopyOnWriteArrayList<>(List.of("a1"));
        mails.worker().concurrency(4).backoff(Backoff.fixed(ofMillis(50))).start(message -> {
            if (failing.remove(message)) throw new IOException();
            sent.add(message);
        });
        for (String message : List.of("a1", "a2", "b1", "a3", "b2")) {
            mails.enqueue(message, Envelope.now().group(message.substring(0, 1)));
        }
        eventually(() -> sent.size() == 5);
        assertThat(sent).containsSubsequence("a1", "a2", "a3").containsSubsequence("b1", "b2");
        assertThat(failing).isEmpty();
    }

    // ---- Q6: cheap and prompt

    @Test
    void q6AnIdleWorkerAsksAtMostOnceASecondAndStartsANewMessageAtOnce() { // queue fault 50
        mails.worker().concurrency(10).start(sent::add);
        pass(ofMillis(100));
        int before = here.connection().claims();
        long begun = timer.nanoTime();
        pass(ofSeconds(3));
        int claims = here.connection().claims() - before;
        assertThat(claims).isBetween(1, 1 + (int) ((timer.nanoTime() - begun) / 1_000_000_000));
        process().mails().enqueue("x");
        eventuallySent("x");
    }

    @Test
    void q6AnEarlierMessageMovesTheAlarmForward() {
        mails.worker().start(sent::add);
        mails.enqueue("late", ofMinutes(10));
        pass(ofMillis(50));
        mails.enqueue("soon", ofMillis(50));
        eventuallySent("soon");
    }

    @Test
    void q6AcknowledgingABatchAndClaimingTheNextIsOneRequest() {
        mails.enqueueAll(numbered(400));
        mails.worker().concurrency(20).executor(Runnable::run).start(sent::add);
        eventually(() -> sent.size() == 400);
        eventuallyEmpty();
        assertThat(here.connection().claims()).isLessThanOrEqualTo(400 / 20 + 10);
    }

    // ---- enqueueing, and looking

    @Test
    void aDuplicateWithinItsWindowIsTheFirstOne() { // queue faults 70, 71
        mails.worker().start(sent::add);
        Envelope once = Envelope.now().dedupe("event", ofSeconds(2));
        String first = mails.enqueue("x", once);
        assertThat(mails.enqueue("again", once)).isEqualTo(first);
        eventuallySent("x");
        assertThat(mails.enqueue("again", once)).isEqualTo(first);
        pass(ofSeconds(2));
        assertThat(mails.enqueue("y", once)).isNotEqualTo(first);
        eventuallySent("x", "y");
    }

    @Test
    void aReplacingMessageTakesThePlaceOfOneThatWaits() {
        String first = mails.enqueue("old", Envelope.in(ofMinutes(5)).dedupe("k", ofMinutes(9)));
        assertThat(mails.enqueue("new", Envelope.now().replace("k", ofMinutes(9))))
                .isEqualTo(first);
        mails.worker().start(sent::add);
        eventuallySent("new");
    }

    @Test
    void aCancelledMessageIsNotDeliveredAndFreesItsKey() { // queue fault 67
        Envelope once = Envelope.in(ofMillis(200)).dedupe("k", ofMinutes(9));
        String id = mails.enqueue("x", once);
        assertThat(mails.cancel(id)).isTrue();
        assertThat(mails.cancel(id)).isFalse();
        assertThat(mails.enqueue("y", once)).isNotEqualTo(id);
        mails.worker().start(sent::add);
        eventuallySent("y");
    }

    @Test
    void aQueueAtItsBoundRejectsAndOneBelowTakes() { // deno case 19
        WorkQueue<String> small = mails.bounded(3);
        small.enqueueAll(List.of("a", "b"));
        assertThatThrownBy(() -> small.enqueueAll(List.of("c", "d"))).isInstanceOf(RejectedException.class);
        assertThat(mails.stats().ready()).isEqualTo(2);
        small.enqueue("c");
        assertThatThrownBy(() -> small.enqueue("d")).isInstanceOf(RejectedException.class);
        mails.worker().start(sent::add);
        eventuallyEmpty();
        small.enqueue("d");
        eventuallySent("a", "b", "c", "d");
    }

    @Test
    void aQueueTellsWhatIsInIt() { // deno case 16
        mails.enqueueAll(List.of("a", "b"));
        mails.enqueue("later", ofMinutes(5));
        mails.enqueue("g1", Envelope.now().group("g"));
        mails.enqueue("g2", Envelope.now().group("g"));
        pass(ofMillis(50));
        WorkQueue.Stats stats = mails.stats();
        assertThat(stats.ready()).isEqualTo(3);
        assertThat(stats.delayed()).isEqualTo(2);
        assertThat(stats.oldestReady()).isBetween(ofMillis(49), PATIENCE);
        assertThat(mails.peek(2)).containsExactly("a", "b");
        assertThat(mails.peek(10)).containsExactly("a", "b", "g1", "later");
        assertThat(process().mails().stats().ready()).isEqualTo(3);
    }

    @Test
    void nothingIsHandedOutOnceAQueueIsPaused() { // queue fault 77
        process().mails().worker().start(sent::add);
        mails.pause();
        assertThat(mails.stats().paused()).isTrue();
        mails.enqueue("x");
        mails.enqueue("y", ofMillis(10));
        pass(ofMillis(300));
        assertThat(sent).isEmpty();
        mails.resume();
        eventuallySent("x", "y");
    }

    @Test
    void aWorkerTellsWhenTheQueueIsIdle() {
        Worker worker = mails.worker().start(sent::add);
        assertThat(worker.awaitIdle(ZERO)).isTrue();
        mails.enqueue("later", ofMinutes(5));
        assertThat(worker.awaitIdle(ZERO)).isTrue();
        mails.pause();
        mails.enqueue("x");
        assertThat(worker.awaitIdle(ZERO)).isFalse();
        mails.resume();
        eventuallySent("x");
        eventually(() -> worker.awaitIdle(ZERO));
    }

    @Test
    void aHandlerMayEnqueueAndCloseItsOwnWorker() { // queue fault 65
        Worker[] worker = new Worker[1];
        worker[0] = mails.worker().start(message -> {
            if (message.equals("last")) worker[0].close();
            else mails.enqueue("last");
            sent.add(message);
        });
        mails.enqueue("first");
        eventuallySent("first", "last");
        eventuallyEmpty();
        eventually(() -> !worker[0].isRunning());
    }

    @Test
    void aScheduleHasOneOccurrenceForEachMomentWhateverRestarts() {
        Recurrence often = Recurrence.every(ofMillis(200));
        long begun = timer.nanoTime();
        Process other = process();
        for (int i = 0; i < 3; i++) {
            mails.recurring("tick", often, "tick");
            other.mails().recurring("tick", often, "tick");
        }
        assertThat(mails.stats().delayed()).isLessThanOrEqualTo(2);
        here.mails().worker().start(sent::add);
        other.mails().worker().start(sent::add);
        eventually(() -> sent.size() >= 5);
        mails.endRecurring("tick");
        eventuallyEmpty();
        assertThat((timer.nanoTime() - begun) / 200_000_000 + 1).isGreaterThanOrEqualTo(sent.size());
        assertThat(mails.stats().dead()).isZero();
    }

    @Test
    void headersAndCountsTravel() {
        List<Map<String, String>> headers = new CopyOnWriteArrayList<>();
        mails.worker().startWithDelivery((message, delivery) -> {
            headers.add(delivery.headers());
            sent.add(delivery.id());
        });
        String id = mails.enqueue("x", Envelope.now().header("traceparent", "00-1"));
        eventuallySent(id);
        assertThat(headers).containsExactly(Map.of("traceparent", "00-1"));
    }
}
