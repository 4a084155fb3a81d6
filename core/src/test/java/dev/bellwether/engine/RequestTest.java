// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.engine;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.RejectedException;
import dev.bellwether.observe.BellwetherListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class RequestTest {
    private final BackendUnavailableException down = new BackendUnavailableException("down", null);

    private final FakeTimer timer = new FakeTimer();
    private final List<BellwetherListener.Request> told = new ArrayList<>();
    private final Engine engine = new Engine(
            new ScriptedBackend(),
            timer,
            Runnable::run,
            new Engine.Settings("test", ofMillis(500), ofSeconds(1), "me", new BellwetherListener() {
                @Override
                public void onRequest(BellwetherListener.Request event) {
                    told.add(event);
                }
            }));
    private final Deque<CompletableFuture<String>> answers = new ArrayDeque<>();
    private int sends;

    private CompletionStage<String> next() {
        sends++;
        CompletableFuture<String> answer = answers.poll();
        return answer != null ? answer : new CompletableFuture<>();
    }

    private static CompletableFuture<String> failed(Throwable failure) {
        return CompletableFuture.failedFuture(failure);
    }

    private static Throwable failureOf(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        return future.handle((value, failure) -> failure).join();
    }

    @Test
    void anAnswerComesBackAndItsTimeoutIsGone() {
        answers.add(new CompletableFuture<>());
        CompletableFuture<String> only = answers.getFirst();
        CompletableFuture<String> result = engine.send("put", engine.within(ofSeconds(5)), this::next);
        only.complete("done");
        assertThat(result).isCompletedWithValue("done");
        assertThat(timer.waiting()).isZero();
        assertThat(told).hasSize(1);
        assertThat(told.get(0).verb()).isEqualTo("put");
        assertThat(told.get(0).succeeded()).isTrue();
    }

    @Test
    void anAttemptWithoutAnAnswerIsSentAgain() {
        answers.add(new CompletableFuture<>());
        answers.add(CompletableFuture.completedFuture("second"));
        CompletableFuture<String> result = engine.send("put", engine.within(ofSeconds(5)), this::next);
        timer.advance(ofMillis(499));
        assertThat(sends).isEqualTo(1);
        timer.advance(ofMillis(10));
        assertThat(result).isCompletedWithValue("second");
        assertThat(sends).isEqualTo(2);
    }

    @Test
    void aLateAnswerOfAnAttemptThatWasGivenUpIsIgnored() {
        CompletableFuture<String> first = new CompletableFuture<>();
        answers.add(first);
        CompletableFuture<String> result = engine.send("put", engine.within(ofSeconds(1)), this::next);
        timer.advance(ofMillis(501));
        first.completeExceptionally(new RejectedException("too late", null));
        assertThat(result).isNotDone();
    }

    @Test
    void whatDidNotServeIsAskedAgainUntilTheDeadlineAndNothingHappened() {
        CompletableFuture<String> result = engine.send("put", engine.within(ofSeconds(2)), () -> {
            sends++;
            return failed(down);
        });
        timer.advance(ofSeconds(2));
        assertThat(failureOf(result))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("put")
                .hasMessageContaining(sends + " attempts")
                .hasMessageContaining("nothing happened")
                .hasCause(down);
        assertThat(sends).isBetween(5, 60);
        assertThat(timer.waiting()).isZero();
    }

    @Test
    void onceAnAttemptMayHaveArrivedTheWholeMayHaveHappened() {
        answers.add(failed(new OutcomeUnknownException("lost", null)));
        CompletableFuture<String> result = engine.send("put", engine.within(ofMillis(3)), this::next);
        timer.advance(ofSeconds(1));
        assertThat(failureOf(result)).isInstanceOf(OutcomeUnknownException.class);

        answers.add(failed(new OutcomeUnknownException("lost", null)));
        answers.add(failed(new RejectedException("full", null)));
        CompletableFuture<String> refusedLater = engine.send("put", engine.within(ofSeconds(3)), this::next);
        timer.advance(ofSeconds(1));
        assertThat(failureOf(refusedLater)).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void lookingIsNeverOfUnknownOutcome() {
        CompletableFuture<String> result = engine.look("get", engine.within(ofSeconds(1)), this::next);
        timer.advance(ofSeconds(2));
        assertThat(failureOf(result)).isInstanceOf(BackendUnavailableException.class);
        assertThat(sends).isGreaterThan(1);
    }

    @Test
    void nothingIsSentAgainLaterThanFifteenSecondsAfterTheFirst() {
        long start = timer.nanoTime();
        List<Long> times = new ArrayList<>();
        CompletableFuture<String> result = engine.send("put", engine.within(ofSeconds(60)), () -> {
            times.add(timer.nanoTime() - start);
            return new CompletableFuture<String>();
        });
        timer.advance(ofSeconds(60));
        assertThat(failureOf(result)).isInstanceOf(OutcomeUnknownException.class);
        assertThat(times.get(times.size() - 1)).isLessThan(15_000_000_000L).isGreaterThan(13_000_000_000L);
    }

    @Test
    void otherFailuresComeBackAtOnceAndUnwrapped() {
        RejectedException full = new RejectedException("full", null);
        answers.add(failed(new CompletionException(full)));
        assertThat(failureOf(engine.send("put", engine.within(ofSeconds(5)), this::next)))
                .isSameAs(full);
        IllegalArgumentException wrong = new IllegalArgumentException("too large");
        assertThat(failureOf(engine.send("put", engine.within(ofSeconds(5)), () -> {
                    throw wrong;
                })))
                .isSameAs(wrong);
        assertThat(sends).isEqualTo(1);
    }

    @Test
    void sendOnceSendsOnce() {
        CompletableFuture<String> result = engine.sendOnce("put", engine.within(ofSeconds(5)), this::next);
        timer.advance(ofSeconds(5));
        assertThat(sends).isEqualTo(1);
        assertThat(failureOf(result)).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void anAttemptEndsAtTheDeadlineEvenIfTheRequestTimeoutIsLonger() {
        CompletableFuture<String> result = engine.send("put", engine.within(ofMillis(20)), this::next);
        timer.advance(ofMillis(20));
        assertThat(result).isCompletedExceptionally();
    }

    @Test
    void aClosedEngineSendsNothing() {
        engine.close();
        Throwable failure = failureOf(engine.send("put", engine.within(ofSeconds(5)), this::next));
        assertThat(failure).isInstanceOf(ClosedException.class).hasMessageContaining("namespace test");
        assertThat(((BellwetherException) failure).nothingHappened()).isTrue();
        assertThat(sends).isZero();
    }

    @Test
    void closingBetweenTwoAttemptsLeavesTheOutcomeOpen() {
        CompletableFuture<String> result = engine.send("put", engine.within(ofSeconds(5)), this::next);
        engine.close();
        timer.advance(ofSeconds(1));
        assertThat(failureOf(result)).isInstanceOf(OutcomeUnknownException.class);
    }
}
