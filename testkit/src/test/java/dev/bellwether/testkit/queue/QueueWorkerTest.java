// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.queue;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.LeaseLostException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.RejectedException;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.observe.BellwetherListener.Settlement;
import dev.bellwether.queue.DeadLetters.Letter;
import dev.bellwether.queue.Delivery;
import dev.bellwether.queue.Envelope;
import dev.bellwether.queue.Recurrence;
import dev.bellwether.queue.WorkQueue;
import dev.bellwether.queue.WorkQueue.Stats;
import dev.bellwether.queue.Worker;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Extend;
import dev.bellwether.time.Backoff;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class QueueWorkerTest {
    private final QueueTable table = new QueueTable();
    private final WorkQueue<String> mails = table.queue();
    private final List<String> sent = new ArrayList<>();
    private final List<AssertionError> failures = new ArrayList<>();

    /** An assertion that fails in a handler is to the worker a failed attempt like any other. */
    private <T> Worker.WithDelivery<T> checked(Worker.WithDelivery<T> handler) {
        return (message, delivery) -> {
            try {
                handler.handle(message, delivery);
            } catch (AssertionError failure) {
                failures.add(failure);
                throw failure;
            }
        };
    }

    @AfterEach
    void noHandlerFoundSomethingElse() {
        assertThat(failures).isEmpty();
    }

    private Stats stats() {
        return mails.stats();
    }

    // ---- the first five minutes

    @Test
    void aMessageIsHandledAtOnceAndAnotherInThreeDays() {
        try (Worker worker = mails.worker().concurrency(20).start(sent::add)) {
            mails.enqueue("welcome");
            mails.enqueue("survey", ofDays(3));
            table.settle();
            assertThat(sent).containsExactly("welcome");
            table.advance(ofDays(3).minusMillis(1));
            assertThat(sent).hasSize(1); // Q2: never before it is due
            table.advance(ofMillis(1));
            assertThat(sent).containsExactly("welcome", "survey");
            assertThat(worker.awaitIdle(ZERO)).isTrue();
        }
        assertThat(stats()).isEqualTo(new Stats(0, 0, 0, 0, ZERO, false));
    }

    @Test
    void q5SameDueTimeIsFirstInFirstOut() {
        List<String> all = IntStream.range(0, 1_000).mapToObj(i -> "m" + i).toList();
        mails.enqueueAll(all);
        mails.worker().concurrency(7).start(sent::add);
        table.settle();
        assertThat(sent).isEqualTo(all);
    }

    @Test
    void q5PriorityGoesFirstButStarvesNobody() {
        mails.enqueue("low", Envelope.now().priority(2));
        mails.enqueue("high");
        mails.worker().start(message -> {
            sent.add(message);
            if (message.equals("high") && sent.size() < 500) mails.enqueue("high", ofSeconds(1));
        });
        table.advance(ofSeconds(59));
        assertThat(sent).startsWith("high", "low").contains("low");
        sent.clear();
        mails.pause();
        mails.enqueue("low", Envelope.now().priority(2));
        table.advance(ofSeconds(61)); // the two steps of waiting that its priority costs
        mails.enqueue("high");
        mails.resume();
        table.settle();
        assertThat(sent).startsWith("high", "low", "high"); // the first high one became due before the low one was
    }

    @Test
    void aMessageCarriesItsEnvelope() {
        List<Map<String, String>> headers = new ArrayList<>();
        List<Instant> enqueued = new ArrayList<>();
        mails.worker().startWithDelivery(checked((message, delivery) -> {
            headers.add(delivery.headers());
            enqueued.add(delivery.enqueuedAt());
            assertThat(delivery.attempt()).isEqualTo(1);
            assertThat(delivery.message()).isEqualTo(message);
            assertThat(delivery.isCurrent()).isTrue();
            assertThat(delivery.remaining()).isBetween(ofSeconds(14), ofSeconds(15));
        }));
        String id = mails.enqueue("x", Envelope.in(ofSeconds(5)).header("traceparent", "00-1"));
        table.advance(ofSeconds(5));
        assertThat(headers).containsExactly(Map.of("traceparent", "00-1"));
        assertThat(enqueued).containsExactly(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(mails.cancel(id)).isFalse();
    }

    @Test
    void anInstantIsADelayByTheClockOfTheProcess() {
        mails.worker().start(sent::add);
        mails.enqueue("x", Envelope.at(Instant.parse("2026-01-01T00:01:00Z")));
        table.advance(ofSeconds(59));
        assertThat(sent).isEmpty();
        table.advance(ofSeconds(1));
        assertThat(sent).containsExactly("x");
    }

    // ---- what it costs (Q6)

    @Test
    void q6AnIdleWorkerAsksAtMostOnceASecondAndIsWokenAtOnce() {
        mails.worker().concurrency(10).start(sent::add);
        table.settle();
        table.claims().clear();
        table.advance(ofMinutes(10));
        assertThat(table.claims().size()).isBetween(300, 600);
        mails.enqueue("x");
        table.settle();
        assertThat(sent).containsExactly("x");
    }

    @Test
    void q6ALostHintDelaysAMessageByTwoSecondsAtMost() { // queue faults 38, 49
        mails.worker().start(sent::add);
        table.settle();
        table.backend.hints = false;
        mails.enqueue("x");
        table.advance(ofSeconds(2));
        assertThat(sent).containsExactly("x");
    }

    @Test
    void q6AnEarlierMessageMovesTheAlarmForward() {
        mails.worker().start(sent::add);
        mails.enqueue("late", ofMinutes(1));
        table.advance(ofSeconds(10));
        mails.enqueue("soon", ofMillis(100));
        table.advance(ofMillis(100));
        assertThat(sent).containsExactly("soon");
    }

    @Test
    void acknowledgingABatchAndClaimingTheNextIsOneRequest() {
        mails.enqueueAll(IntStream.range(0, 1_000).mapToObj(i -> "m" + i).toList());
        table.claims().clear();
        List<CompletableFuture<Void>> gates = new ArrayList<>();
        mails.worker().concurrency(50).start(sent::add);
        table.settle();
        assertThat(sent).hasSize(1_000);
        assertThat(gates).isEmpty();
        long carrying = table.claims().stream().filter(claim -> claim.max() > 0).count();
        assertThat(carrying).isEqualTo(table.claims().size());
        assertThat(table.backend.commits).hasSize(1);
    }

    @Test
    void aPausedQueueIsNotAskedMoreOften() { // queue fault 50
        mails.enqueue("x");
        mails.pause();
        mails.worker().start(sent::add);
        table.settle();
        table.claims().clear();
        table.advance(ofMinutes(1));
        assertThat(table.claims().size()).isBetween(30, 60);
        assertThat(sent).isEmpty();
    }

    // ---- failures

    @Test
    void aFailureComesBackAfterTheBackoffAndEndsWithTheDeadLetters() {
        mails.worker().maxAttempts(3).backoff(Backoff.fixed(ofSeconds(10))).startWithDelivery((message, delivery) -> {
            sent.add(message + delivery.attempt());
            throw new IOException("no route");
        });
        String id = mails.enqueue("x");
        table.settle();
        table.advance(ofSeconds(10).minusMillis(1));
        assertThat(sent).containsExactly("x1");
        table.advance(ofMillis(1));
        table.advance(ofSeconds(10));
        assertThat(sent).containsExactly("x1", "x2", "x3");
        table.advance(ofDays(1));
        assertThat(sent).hasSize(3);
        Letter<String> letter = mails.deadLetters().find(id).orElseThrow();
        assertThat(letter.message()).contains("x");
        assertThat(letter.attempts()).isEqualTo(3);
        assertThat(letter.reason()).isEqualTo("java.io.IOException: no route");
        assertThat(letter.diedAt()).isEqualTo("2026-01-01T00:00:20Z");
        assertThat(stats().dead()).isEqualTo(1);
    }

    @Test
    void aLimitedBackoffSaysHowManyAttemptsThereAre() {
        mails.worker().backoff(Backoff.deno()).start(message -> {
            sent.add(message);
            throw new IOException();
        });
        mails.enqueue("x");
        table.advance(ofMinutes(5));
        assertThat(sent).hasSize(6);
        assertThat(stats().dead()).isEqualTo(1);
    }

    @Test
    void aFailureBeyondHopeIsBuriedAtOnceAndOneThatSaysWhenComesBackThen() {
        mails.worker()
                .buryOn(IllegalStateException.class)
                .retryOn(UnsupportedOperationException.class, failure -> Duration.parse(failure.getMessage()))
                .start(message -> {
                    sent.add(message);
                    if (message.equals("bad")) throw new IllegalStateException();
                    if (sent.size() < 3) throw new UnsupportedOperationException("PT1H");
                });
        mails.enqueue("bad");
        mails.enqueue("later");
        table.settle();
        assertThat(stats().dead()).isEqualTo(1);
        table.advance(ofMinutes(59));
        assertThat(sent).containsExactly("bad", "later");
        table.advance(ofMinutes(1));
        assertThat(sent).containsExactly("bad", "later", "later");
    }

    @Test
    void theLastDecisionOfAHandlerCounts() {
        mails.worker().maxAttempts(2).startWithDelivery((message, delivery) -> {
            sent.add(message + delivery.attempt());
            delivery.retryAfter(ofDays(1));
            switch (message) {
                case "bury" -> delivery.bury("unwanted");
                case "release" -> {
                    if (sent.size() < 4) delivery.release();
                    else delivery.bury("enough");
                }
                default -> delivery.retryAfter(ofSeconds(1));
            }
        });
        mails.enqueue("bury");
        table.settle();
        assertThat(mails.deadLetters().stream().map(Letter::reason)).containsExactly("unwanted");
        mails.enqueue("release");
        table.settle();
        assertThat(sent).containsExactly("bury1", "release1", "release1", "release1");
        mails.enqueue("retry");
        table.advance(ofSeconds(1));
        assertThat(sent).endsWith("retry1", "retry2");
        assertThat(stats().dead()).isEqualTo(3);
    }

    @Test
    void undecodableBytesAreAFailedAttemptAndHarmNobodyElse() { // queue fault 83
        table.service.queue("mails", dev.bellwether.codec.Codecs.of(Long.class)).enqueue(7L);
        mails.worker().maxAttempts(2).start(sent::add);
        mails.enqueue("good");
        table.advance(ofMinutes(1));
        assertThat(sent).containsExactly("good");
        Letter<String> letter = mails.deadLetters().stream().toList().get(0);
        assertThat(letter.message()).isEmpty();
        assertThat(letter.reason()).contains("i64");
        assertThat(mails.peek(10)).isEmpty();
    }

    @Test
    void aHandlerThatThrowsAnErrorIsAFailedAttempt() {
        mails.worker().maxAttempts(1).start(message -> {
            throw new StackOverflowError();
        });
        mails.enqueue("x");
        table.settle();
        assertThat(stats().dead()).isEqualTo(1);
    }

    // ---- leases

    @Test
    void q3AHandlerThatIsAliveKeepsItsMessageHoweverLongItRuns() { // queue fault 22
        List<Delivery<String>> held = new ArrayList<>();
        var handlers = new ManualHandlers(table.time);
        mails.worker()
                .lease(ofSeconds(5))
                .executor(handlers)
                .startWithDelivery((message, delivery) -> held.add(delivery));
        Worker other = table.queue(table.another()).worker().lease(ofSeconds(5)).start(sent::add);
        other.close();
        mails.enqueue("x");
        table.settle();
        table.claims().clear();
        table.advance(ofMinutes(10)); // the handler has not begun: its executor sleeps
        assertThat(stats().inFlight()).isEqualTo(1);
        long beats = table.claims().stream()
                .filter(claim -> claim.settle().stream().anyMatch(Extend.class::isInstance))
                .count();
        assertThat(beats).isBetween(300L, 400L); // every third of the lease, one request
        handlers.run();
        table.settle();
        assertThat(held).hasSize(1);
        assertThat(stats().inFlight()).isZero();
    }

    @Test
    void aDeliveryThatCannotBeExtendedIsLostBeforeTheStoreGivesItAway() { // queue faults 4, 16
        var handlers = new ManualHandlers(table.time);
        mails.worker().lease(ofSeconds(6)).executor(handlers).startWithDelivery(checked((message, delivery) -> {
            sent.add(message);
            table.backend.before = request -> new BackendUnavailableException("cut off", null);
            handlers.during(ofSeconds(5));
            assertThat(delivery.isCurrent()).isTrue();
            handlers.during(ofMillis(935));
            assertThat(delivery.isCurrent()).isFalse();
            assertThat(delivery.remaining()).isZero();
            assertThatThrownBy(delivery::ensureCurrent)
                    .isInstanceOfSatisfying(
                            LeaseLostException.class,
                            lost -> assertThat(lost.reason()).isEqualTo(LeaseLostException.Reason.UNREACHABLE));
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            table.backend.before = null;
            throw new IOException("interrupted");
        }));
        mails.enqueue("x");
        table.settle();
        handlers.run();
        assertThat(sent).containsExactly("x");
        assertThat(Thread.currentThread().isInterrupted()).isFalse(); // the pool's thread gets its flag back clear
        table.advance(ofSeconds(2));
        assertThat(stats().ready() + stats().inFlight()).isEqualTo(1); // handed back, without a penalty
        assertThat(table.settled).extracting(BellwetherListener.Settle::how).containsExactly(Settlement.RELEASED);
    }

    @Test
    void q2AnAcknowledgementWhoseLeaseMerelyLapsedStillCounts() {
        var handlers = new ManualHandlers(table.time);
        mails.worker().lease(ofSeconds(6)).executor(handlers).start(message -> {
            sent.add(message);
            table.backend.before = request -> new BackendUnavailableException("cut off", null);
            handlers.during(ofSeconds(8));
            Thread.interrupted();
            table.backend.before = null;
        });
        mails.enqueue("x");
        table.settle();
        handlers.run();
        table.advance(ofMinutes(1));
        handlers.run();
        assertThat(sent).containsExactly("x");
        assertThat(stats()).isEqualTo(new Stats(0, 0, 0, 0, ZERO, false));
    }

    @Test
    void messagesOfADeadProcessGoToOthersAfterOneLease() { // queue fault 8
        var dead = table.another();
        var handlers = new ManualHandlers(table.time);
        table.queue(dead).worker().lease(ofSeconds(5)).executor(handlers).start(sent::add);
        mails.enqueue("x");
        table.settle();
        assertThat(stats().inFlight()).isEqualTo(1);
        table.kill(dead);
        mails.worker().startWithDelivery((message, delivery) -> sent.add(message + delivery.attempt()));
        table.advance(ofSeconds(5));
        table.advance(ofSeconds(1)); // the pause after a crash
        assertThat(sent).containsExactly("x2");
    }

    @Test
    void aHandlerOutOfTimeIsInterruptedAndCountsAsFailed() {
        var handlers = new ManualHandlers(table.time);
        mails.worker()
                .atMost(ofSeconds(30))
                .maxAttempts(1)
                .executor(handlers)
                .startWithDelivery(checked((message, delivery) -> {
                    handlers.during(ofSeconds(29));
                    assertThat(delivery.isCurrent()).isTrue();
                    handlers.during(ofSeconds(1));
                    assertThat(delivery.isCurrent()).isFalse();
                    assertThat(Thread.interrupted()).isTrue();
                }));
        mails.enqueue("x");
        table.settle();
        handlers.run();
        table.settle();
        assertThat(mails.deadLetters().stream().map(Letter::reason))
                .containsExactly("java.util.concurrent.TimeoutException: the handler ran longer than PT30S");
        assertThat(table.settled).extracting(event -> event.how()).containsExactly(Settlement.DEAD);
    }

    @Test
    void aMessageThatKillsItsProcessIsDeadAfterThreeCrashes() {
        mails.enqueue("killer");
        for (int i = 0; i < 3; i++) {
            var process = table.another();
            table.queue(process)
                    .worker()
                    .lease(ofSeconds(1))
                    .executor(task -> {})
                    .start(sent::add);
            table.advance(ofMillis(2_500));
            assertThat(stats().inFlight()).isEqualTo(1);
            table.kill(process);
            table.advance(ofSeconds(3));
        }
        mails.worker().start(sent::add);
        table.advance(ofSeconds(3));
        assertThat(sent).isEmpty();
        Letter<String> letter = mails.deadLetters().stream().toList().get(0);
        assertThat(letter.reason()).isEqualTo("crashed");
        assertThat(letter.attempts()).isEqualTo(3);
    }

    // ---- closing

    @Test
    void closingHandsBackWhatHasNotBegunWithoutAPenalty() { // queue faults 31, 32
        Worker worker = mails.worker().concurrency(3).executor(task -> {}).start(sent::add);
        mails.enqueueAll(List.of("a", "b", "c", "d"));
        table.settle();
        assertThat(stats().inFlight()).isEqualTo(3);
        worker.close();
        worker.close();
        assertThat(worker.isRunning()).isFalse();
        assertThat(stats().ready()).isEqualTo(4);
        mails.worker().startWithDelivery((message, delivery) -> sent.add(message + delivery.attempt()));
        table.settle();
        assertThat(sent).containsExactly("a1", "b1", "c1", "d1");
    }

    @Test
    void closingWaitsForAHandlerAndKeepsItsMessageMeanwhile() {
        var handlers = new ManualHandlers(table.time);
        Worker[] worker = new Worker[1];
        worker[0] = mails.worker()
                .lease(ofSeconds(2))
                .executor(handlers)
                .startWithDelivery(checked((message, delivery) -> {
                    worker[0].close(); // from a handler it returns at once
                    handlers.during(ofSeconds(9));
                    assertThat(delivery.isCurrent()).isTrue();
                    sent.add(message);
                }));
        mails.enqueue("x");
        table.settle();
        handlers.run();
        table.settle();
        assertThat(sent).containsExactly("x");
        assertThat(stats()).isEqualTo(new Stats(0, 0, 0, 0, ZERO, false));
    }

    @Test
    void closingInterruptsWhoeverOutlivesTheGraceAndHandsTheMessageBack() {
        var handlers = new ManualHandlers(table.time);
        Worker[] worker = new Worker[1];
        worker[0] = mails.worker().executor(handlers).startWithDelivery(checked((message, delivery) -> {
            worker[0].close();
            handlers.during(ofSeconds(10));
            assertThat(delivery.isCurrent()).isFalse();
            assertThat(Thread.interrupted()).isTrue();
        }));
        mails.enqueue("x");
        table.settle();
        handlers.run();
        table.settle();
        assertThat(stats().ready()).isEqualTo(1);
        mails.worker().startWithDelivery((message, delivery) -> sent.add(message + delivery.attempt()));
        table.settle();
        assertThat(sent).containsExactly("x1");
    }

    @Test
    void afterCloseNothingRunsAnyMore() { // deno case 34
        mails.worker().start(sent::add);
        mails.worker().concurrency(4).start(sent::add);
        table.settle();
        table.service.close();
        table.service.close();
        table.claims().clear();
        table.advance(ofDays(1));
        assertThat(table.claims()).isEmpty();
        assertThat(table.time.step()).isFalse(); // no timer is left
        assertThat(table.engine.hints().size()).isZero();
        assertThatThrownBy(() -> mails.enqueue("x")).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> mails.worker().start(sent::add)).isInstanceOf(ClosedException.class);
    }

    // ---- health, and a store in trouble

    @Test
    void aWorkerWithoutAnswersIsNotRunningUntilTheyComeBack() { // deno case 20
        Worker worker = mails.worker().start(sent::add);
        table.advance(ofMinutes(1));
        assertThat(worker.isRunning()).isTrue();
        table.backend.before = request -> new BackendUnavailableException("down", null);
        table.advance(ofSeconds(30));
        assertThat(worker.isRunning()).isFalse();
        table.advance(ofMinutes(10));
        table.backend.before = null;
        mails.enqueue("x");
        table.advance(ofSeconds(2));
        assertThat(worker.isRunning()).isTrue();
        assertThat(sent).containsExactly("x");
    }

    @Test
    void aStoreThatRejectsIsNotHammered() {
        mails.worker().start(sent::add);
        mails.enqueue("x");
        table.backend.before = request -> new RejectedException("out of memory", null);
        table.settle();
        table.claims().clear();
        table.advance(ofSeconds(60));
        assertThat(table.claims().size()).isBetween(40, 150);
        table.backend.before = null;
        table.advance(ofSeconds(2));
        assertThat(sent).containsExactly("x");
    }

    @Test
    void s4AClaimWhoseAnswerWasLostBringsTheSameMessages() { // queue fault 19
        mails.enqueueAll(List.of("a", "b"));
        int[] losses = {3};
        table.backend.after = request ->
                request instanceof ClaimRequest && losses[0]-- > 0 ? new OutcomeUnknownException("lost", null) : null;
        mails.worker().concurrency(2).startWithDelivery((message, delivery) -> sent.add(message + delivery.attempt()));
        table.advance(ofSeconds(1));
        assertThat(sent).containsExactly("a1", "b1");
        assertThat(stats()).isEqualTo(new Stats(0, 0, 0, 0, ZERO, false));
    }

    @Test
    void anAcknowledgementThatMeetsErrorsGoesAgain() { // queue fault 28
        mails.worker().start(sent::add);
        mails.enqueue("x");
        table.backend.before = request -> request instanceof ClaimRequest claim
                        && claim.settle().stream().anyMatch(Ack.class::isInstance)
                        && table.time.nanoTime() < ofSeconds(6).toNanos()
                ? new BackendUnavailableException("loading", null)
                : null;
        table.advance(ofSeconds(20));
        assertThat(sent).containsExactly("x");
        assertThat(stats()).isEqualTo(new Stats(0, 0, 0, 0, ZERO, false));
    }

    // ---- enqueueing

    @Test
    void enqueuesThatMeetTravelTogetherAndEachHasItsOwnAnswer() {
        SlowBackend slow = new SlowBackend(table.model, table.time, ofMillis(10));
        WorkQueue<String> queue = table.queue(new dev.bellwether.delivery.QueueService(table.engine(slow)));
        List<CompletableFuture<String>> ids = new ArrayList<>();
        for (int i = 0; i < 600; i++) ids.add(queue.async().enqueue("m" + i));
        table.advance(ofMillis(40));
        assertThat(ids).allMatch(CompletableFuture::isDone);
        assertThat(ids.stream().map(CompletableFuture::join).distinct()).hasSize(600);
        assertThat(slow.requests).isEqualTo(4); // 1, then 256, 256 and 87
        assertThat(mails.peek(600)).hasSize(600).startsWith("m0", "m1").endsWith("m599");
    }

    @Test
    void aFullQueueTakesWhatFitsAndRejectsTheRest() {
        SlowBackend slow = new SlowBackend(table.model, table.time, ofMillis(10));
        WorkQueue<String> queue = table.queue(new dev.bellwether.delivery.QueueService(table.engine(slow)))
                .bounded(5);
        List<CompletableFuture<?>> ids = new ArrayList<>();
        for (int i = 0; i < 4; i++) ids.add(queue.async().enqueue("m" + i));
        ids.add(queue.async().enqueueAll(List.of("x", "y")));
        ids.add(queue.async().enqueue("last"));
        table.advance(ofMillis(100));
        assertThat(mails.peek(10)).containsExactly("m0", "m1", "m2", "m3", "last");
        assertThat(ids.get(4))
                .failsWithin(ofSeconds(1))
                .withThrowableThat()
                .withCauseInstanceOf(RejectedException.class);
        assertThatThrownBy(() -> mails.bounded(5).enqueue("more"))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("bound of 5");
        assertThat(mails.enqueue("unbounded")).isNotEmpty();
    }

    @Test
    void aDuplicateWithinItsWindowIsTheFirstOne() {
        mails.worker().start(sent::add);
        Envelope once = Envelope.now().dedupe("event-1", ofDays(1));
        String first = mails.enqueue("x", once);
        assertThat(mails.enqueue("x again", once)).isEqualTo(first);
        table.settle();
        assertThat(mails.enqueue("x again", once)).isEqualTo(first); // held beyond the acknowledgement
        table.advance(ofDays(1));
        assertThat(mails.enqueue("y", once)).isNotEqualTo(first);
        table.settle();
        assertThat(sent).containsExactly("x", "y");
    }

    @Test
    void aDeadOrCancelledMessageFreesItsKey() { // queue faults 14, 67, 68
        Envelope once = Envelope.in(ofSeconds(1)).dedupe("k", ofDays(365));
        String cancelled = mails.enqueue("x", once);
        assertThat(mails.cancel(cancelled)).isTrue();
        assertThat(mails.cancel(cancelled)).isFalse();
        String dying = mails.enqueue("x", once);
        assertThat(dying).isNotEqualTo(cancelled);
        Worker worker = mails.worker().maxAttempts(1).start(message -> {
            throw new IOException();
        });
        table.advance(ofSeconds(1));
        worker.close();
        assertThat(mails.enqueue("x", once)).isNotEqualTo(dying);
    }

    @Test
    void aReplacingMessageTakesThePlaceOfOneThatWaits() {
        mails.worker().start(sent::add);
        String first = mails.enqueue("old", Envelope.in(ofSeconds(10)).dedupe("k", ofMinutes(1)));
        assertThat(mails.enqueue("new", Envelope.in(ofSeconds(30)).replace("k", ofMinutes(1))))
                .isEqualTo(first);
        table.advance(ofSeconds(29));
        assertThat(sent).isEmpty();
        table.advance(ofSeconds(1));
        assertThat(sent).containsExactly("new");
    }

    @Test
    void anEnqueueOutlivesAFailover() { // queue fault 28
        table.backend.before = request -> new BackendUnavailableException("loading", null);
        CompletableFuture<String> id = mails.async().enqueue("x");
        CompletableFuture<String> second = mails.async().enqueue("y");
        table.advance(ofSeconds(6));
        table.backend.before = null;
        table.advance(ofSeconds(1));
        assertThat(id).isCompleted();
        assertThat(second).isCompleted();
        assertThat(mails.peek(10)).containsExactly("x", "y");
    }

    @Test
    void whatNeverReachedTheStoreIsSaidToHaveNotHappened() {
        table.backend.before = request -> new BackendUnavailableException("down", null);
        CompletableFuture<String> id = mails.async().enqueue("x");
        CompletableFuture<String> second = mails.async().enqueue("y");
        table.advance(ofSeconds(21));
        assertThat(id)
                .failsWithin(ofSeconds(1))
                .withThrowableThat()
                .withCauseInstanceOf(BackendUnavailableException.class);
        assertThat(second)
                .failsWithin(ofSeconds(1))
                .withThrowableThat()
                .withCauseInstanceOf(BackendUnavailableException.class);
    }

    // ---- groups, schedules, dead letters

    @Test
    void messagesOfAGroupGoOneAfterTheOtherAndARetryHoldsOnlyItsOwn() { // queue faults 23, 76
        List<String> failing = new ArrayList<>(List.of("a1"));
        mails.worker().concurrency(10).backoff(Backoff.fixed(ofSeconds(5))).start(message -> {
            sent.add(message);
            if (failing.remove(message)) throw new IOException();
        });
        for (String message : List.of("a1", "a2", "b1", "a3", "b2")) {
            mails.enqueue(message, Envelope.now().group(message.substring(0, 1)));
        }
        table.settle();
        assertThat(sent).containsExactly("a1", "b1", "b2");
        table.advance(ofSeconds(5));
        assertThat(sent).containsExactly("a1", "b1", "b2", "a1", "a2", "a3");
    }

    @Test
    void aScheduleHasOneNextOccurrenceHoweverManyProcessesDeclareIt() {
        Recurrence hourly = Recurrence.cron("0 * * * *", ZoneOffset.UTC);
        WorkQueue<String> elsewhere = table.queue(table.another());
        for (int i = 0; i < 5; i++) {
            mails.recurring("report", hourly, "report");
            elsewhere.recurring("report", hourly, "report");
            table.advance(ofMinutes(1));
        }
        assertThat(stats().delayed()).isEqualTo(1);
        mails.worker().start(sent::add);
        elsewhere.worker().start(sent::add);
        table.advance(Duration.ofHours(24).minusMinutes(5));
        assertThat(sent).hasSize(24);
        assertThat(stats().delayed()).isEqualTo(1);
    }

    @Test
    void missedOccurrencesAreSkippedAndAFailingOneIsNotOvertaken() {
        Recurrence everyMinute = Recurrence.every(ofMinutes(1));
        mails.recurring("tick", everyMinute, "tick");
        table.advance(ofMinutes(90));
        Worker failing = mails.worker()
                .maxAttempts(3)
                .backoff(Backoff.fixed(ofMinutes(10)))
                .startWithDelivery((message, delivery) -> {
                    sent.add(message + delivery.attempt());
                    throw new IOException();
                });
        table.advance(ofMinutes(20));
        assertThat(sent).containsExactly("tick1", "tick2", "tick3");
        assertThat(stats().dead()).isEqualTo(1);
        failing.close();
        sent.clear();
        mails.worker().start(sent::add);
        table.advance(ofMinutes(10));
        assertThat(sent).hasSize(10); // the chain goes on behind the dead one
    }

    @Test
    void aNewDeclarationReplacesTheOldOne() {
        mails.recurring("report", Recurrence.every(Duration.ofHours(1)), "old");
        mails.worker().start(sent::add);
        table.advance(Duration.ofHours(1));
        mails.recurring("report", Recurrence.every(Duration.ofHours(1)), "new");
        table.advance(Duration.ofHours(1));
        assertThat(sent).containsExactly("old", "new");
        mails.recurring("report", Recurrence.every(ofMinutes(20)), "often");
        table.advance(Duration.ofHours(2));
        assertThat(sent).containsExactly("old", "new", "often", "often", "often", "often", "often", "often");
        mails.endRecurring("report");
        table.advance(ofDays(1));
        assertThat(sent).hasSize(8);
        assertThat(stats()).isEqualTo(new Stats(0, 0, 0, 0, ZERO, false));
    }

    @Test
    void aDeadLetterIsRequeuedWithFreshAttemptsOrPurgedOnce() {
        List<String> failing = new ArrayList<>(List.of("x"));
        mails.worker().maxAttempts(1).startWithDelivery((message, delivery) -> {
            sent.add(message + delivery.attempt());
            if (failing.contains(message)) throw new IOException();
        });
        String id = mails.enqueue("x");
        table.settle();
        Letter<String> letter = mails.deadLetters().find(id).orElseThrow();
        failing.clear();
        assertThat(letter.requeue()).isTrue();
        assertThat(letter.requeue()).isFalse();
        assertThat(letter.purge()).isFalse(); // it lives again: its old letter must not remove it
        table.settle();
        assertThat(sent).containsExactly("x1", "x1");
        assertThat(mails.deadLetters().find(id)).isEmpty();
    }

    @Test
    void deadLettersAreReadAndPurgedInSlices() {
        mails.worker().concurrency(100).maxAttempts(1).start(message -> {
            throw new IOException();
        });
        mails.enqueueAll(IntStream.range(0, 1_000).mapToObj(i -> "m" + i).toList());
        table.settle();
        assertThat(mails.deadLetters().stream().map(letter -> letter.message().orElseThrow()))
                .hasSize(1_000)
                .startsWith("m0", "m1")
                .endsWith("m999");
        table.backend.commits.clear();
        assertThat(mails.deadLetters().purgeAll()).isEqualTo(1_000);
        assertThat(table.backend.commits)
                .hasSize(4)
                .allMatch(commit -> commit.mutations().size() <= 256);
        assertThat(stats().dead()).isZero();
    }

    @Test
    void nothingIsHandedOutOnceAQueueIsPaused() { // queue fault 77
        mails.worker().start(sent::add);
        mails.pause();
        mails.enqueue("x");
        mails.enqueue("y", ofSeconds(1));
        table.advance(ofMinutes(1));
        assertThat(sent).isEmpty();
        assertThat(stats()).isEqualTo(new Stats(2, 0, 0, 0, stats().oldestReady(), true));
        mails.resume();
        table.settle();
        assertThat(sent).containsExactly("x", "y");
    }

    @Test
    void redeliveryOnPurposeHappensOnceForAMessage() {
        mails.worker().redeliver(1).startWithDelivery((message, delivery) -> sent.add(message + delivery.attempt()));
        mails.enqueue("x");
        table.advance(ofMinutes(1));
        assertThat(sent).containsExactly("x1", "x1");
        assertThat(stats()).isEqualTo(new Stats(0, 0, 0, 0, ZERO, false));
    }
}
