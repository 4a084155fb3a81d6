// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.guard;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.bellwether.engine.FakeTimer;
import dev.bellwether.engine.ScriptedBackend;
import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.RejectedException;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.RequestId;
import dev.bellwether.spi.StoreTime;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GuardTest {
    private static final KvKey KEY = KvKey.of(Bytes.utf8("k"));
    private static final Query READ = new Query.Keys(List.of(KEY), false);
    private static final Commit PUT = Commit.of(new EntryMutation.Put(KEY, Bytes.EMPTY, Expiry.NEVER));
    private static final Reading ANSWER = new Reading(List.of(), false, StoreTime.exact(1));

    private final FakeTimer timer = new FakeTimer();
    private final ScriptedBackend store = new ScriptedBackend();
    private final KvBackend guarded = Guard.around(store)
            .failureRate(50)
            .window(10, 4)
            .openFor(ofSeconds(5))
            .probes(2)
            .timeLimit(ofMillis(100))
            .inFlight(3)
            .timer(timer)
            .build();

    private void serving() {
        store.answer(() -> CompletableFuture.completedFuture(ANSWER));
    }

    private void failing(Throwable failure) {
        store.answer(() -> CompletableFuture.failedFuture(failure));
    }

    private static Throwable failureOf(CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        assertThat(future).isCompletedExceptionally();
        return future.handle((value, failure) -> failure).join();
    }

    private void open() {
        failing(new BackendUnavailableException("down", null));
        for (int i = 0; i < 4; i++) failureOf(guarded.read(READ));
        assertThat(isOpen()).isTrue();
    }

    private boolean isOpen() {
        int before = store.asked.size();
        CompletableFuture<?> future = guarded.read(READ).toCompletableFuture();
        return future.isCompletedExceptionally() && store.asked.size() == before;
    }

    @Test
    void aServingStoreIsPassedThrough() {
        serving();
        assertThat(guarded.read(READ).toCompletableFuture()).isCompletedWithValue(ANSWER);
        assertThat(store.asked).containsExactly(READ);
        assertThat(timer.waiting()).isZero();
    }

    @Test
    void anOpenBreakerRefusesAtOnceAndNothingHappened() {
        open();
        int asked = store.asked.size();
        Throwable refused = failureOf(guarded.commit(PUT));
        assertThat(refused).isInstanceOf(BackendUnavailableException.class).hasMessageContaining("circuit breaker");
        assertThat(store.asked).hasSize(asked);
    }

    @Test
    void everyVerbIsRefusedWhileOpen() {
        open();
        int asked = store.asked.size();
        LeaseName lease = LeaseName.of(Bytes.utf8("l"));
        QueueName queue = QueueName.of(Bytes.utf8("q"));
        ClaimRequest claim = new ClaimRequest(queue, new RequestId(1, 1), List.of(), 1, ofSeconds(1), ofSeconds(1));
        for (CompletionStage<?> stage : List.of(
                guarded.read(READ),
                guarded.commit(PUT),
                guarded.acquire(LeaseRequest.of(lease, new Owner(1, 1), ofSeconds(1))),
                guarded.claim(claim),
                guarded.inspect(new Inspection.Store()))) {
            assertThat(failureOf(stage)).isInstanceOf(BackendUnavailableException.class);
        }
        assertThat(store.asked).hasSize(asked);
    }

    @Test
    void afterItsTimeTheBreakerLetsProbesThroughAndClosesWhenTheyAreServed() {
        open();
        timer.advance(ofSeconds(4));
        assertThat(isOpen()).isTrue();
        timer.advance(ofMillis(1_001));
        serving();
        assertThat(guarded.read(READ).toCompletableFuture()).isCompletedWithValue(ANSWER);
        assertThat(guarded.read(READ).toCompletableFuture()).isCompletedWithValue(ANSWER);
        for (int i = 0; i < 20; i++) assertThat(isOpen()).isFalse();
    }

    @Test
    void probesThatFailOpenItAgain() {
        open();
        timer.advance(ofMillis(5_001));
        failing(new BackendUnavailableException("still down", null));
        assertThat(failureOf(guarded.read(READ))).hasMessage("still down");
        assertThat(failureOf(guarded.read(READ))).hasMessage("still down");
        assertThat(isOpen()).isTrue();
    }

    @Test
    void aHalfOpenBreakerAdmitsNoMoreThanItsProbes() {
        open();
        timer.advance(ofMillis(5_001));
        store.answer(CompletableFuture::new);
        guarded.read(READ);
        guarded.read(READ);
        assertThat(failureOf(guarded.read(READ))).hasMessageContaining("circuit breaker");
    }

    @Test
    void probesThatNeverAnswerDoNotLeaveItHalfOpen() {
        open();
        timer.advance(ofMillis(5_001));
        store.answer(CompletableFuture::new);
        guarded.read(READ);
        guarded.read(READ);
        timer.advance(ofMillis(100));
        assertThat(isOpen()).isTrue();
        timer.advance(ofMillis(5_001));
        serving();
        assertThat(guarded.read(READ).toCompletableFuture()).isCompletedWithValue(ANSWER);
    }

    @Test
    void aLateReadIsUnavailableAndALateChangeIsOfUnknownOutcome() {
        CompletionStage<?> read = guarded.read(READ);
        CompletionStage<?> put = guarded.commit(PUT);
        CompletionStage<?> look = guarded.commit(new Commit(null, List.of(new Check.Vacant(KEY, false)), List.of()));
        timer.advance(ofMillis(99));
        assertThat(read.toCompletableFuture()).isNotDone();
        timer.advance(ofMillis(1));
        assertThat(failureOf(read))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("no answer within 100 ms");
        assertThat(failureOf(put)).isInstanceOf(OutcomeUnknownException.class);
        assertThat(failureOf(look)).isInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void anAnswerAfterTheLimitChangesNothing() {
        CompletableFuture<Reading> answer = new CompletableFuture<>();
        store.answer(() -> answer);
        CompletionStage<Reading> read = guarded.read(READ);
        timer.advance(ofMillis(100));
        answer.complete(ANSWER);
        assertThat(failureOf(read)).isInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void lateRequestsOpenTheBreaker() {
        for (int i = 0; i < 4; i++) {
            guarded.read(READ);
            timer.advance(ofMillis(100));
        }
        assertThat(isOpen()).isTrue();
    }

    @Test
    void conflictsRefusalsAndWrongRequestsDoNotCountAgainstTheStore() {
        CommitReply conflict =
                new CommitReply.Conflict(List.of(new Obstacle.Unfit(0, "no counter")), StoreTime.exact(1));
        store.answer(() -> CompletableFuture.completedFuture(conflict));
        for (int i = 0; i < 20; i++) {
            assertThat(guarded.commit(PUT).toCompletableFuture()).isCompletedWithValue(conflict);
        }
        failing(new RejectedException("full", null));
        for (int i = 0; i < 20; i++) failureOf(guarded.commit(PUT));
        failing(new ClosedException("closed", null));
        for (int i = 0; i < 20; i++) failureOf(guarded.commit(PUT));
        store.answer(() -> {
            throw new IllegalArgumentException("too large");
        });
        for (int i = 0; i < 20; i++) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> guarded.commit(PUT))
                    .withMessage("too large");
        }
        serving();
        assertThat(isOpen()).isFalse();
    }

    @Test
    void unknownOutcomesCountAgainstTheStore() {
        failing(new OutcomeUnknownException("lost", null));
        for (int i = 0; i < 4; i++) failureOf(guarded.commit(PUT));
        assertThat(isOpen()).isTrue();
    }

    @Test
    void slowAnswersOpenTheBreaker() {
        KvBackend impatient = Guard.around(store)
                .slowCalls(ofMillis(10), 100)
                .window(4, 4)
                .timeLimit(ofSeconds(1))
                .timer(timer)
                .build();
        for (int i = 0; i < 4; i++) {
            CompletableFuture<Reading> answer = new CompletableFuture<>();
            store.answer(() -> answer);
            CompletionStage<Reading> read = impatient.read(READ);
            timer.advance(ofMillis(11));
            answer.complete(ANSWER);
            assertThat(read.toCompletableFuture()).isCompletedWithValue(ANSWER);
        }
        assertThat(failureOf(impatient.read(READ))).hasMessageContaining("circuit breaker");
    }

    @Test
    void moreRequestsThanTheLimitAreRefusedUntilOneIsAnswered() {
        CompletableFuture<Reading> first = new CompletableFuture<>();
        store.answer(() -> first);
        guarded.read(READ);
        store.answer(CompletableFuture::new);
        guarded.read(READ);
        guarded.read(READ);
        assertThat(failureOf(guarded.read(READ)))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("3 requests are unanswered");
        assertThat(store.asked).hasSize(3);
        first.complete(ANSWER);
        assertThat(guarded.read(READ).toCompletableFuture()).isNotDone();
        assertThat(store.asked).hasSize(4);
    }

    @Test
    void hintsCapabilitiesAndClosingPassThroughEvenWhileOpen() {
        open();
        guarded.listen(hint -> {}).close();
        assertThat(store.listeners).isEmpty();
        assertThat(guarded.capabilities()).isEqualTo(store.capabilities());
        guarded.close();
        assertThat(store.closed).isTrue();
    }

    @Test
    void wrongSettingsAreRefusedByName() {
        Guard guard = Guard.around(store);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> guard.failureRate(0))
                .withMessageContaining("failure rate");
        assertThatIllegalArgumentException().isThrownBy(() -> guard.inFlight(0)).withMessageContaining("in flight");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> guard.timeLimit(ofMillis(-1)))
                .withMessageContaining("time limit");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> guard.window(0, 1))
                .withMessageContaining("window");
    }

    @Test
    void noPublicSignatureNamesResilience4j() {
        for (Method method : Guard.class.getMethods()) {
            assertThat(Stream.concat(Stream.of(method.getReturnType()), Stream.of(method.getParameterTypes())))
                    .noneMatch(type -> type.getName().startsWith("io.github"));
        }
    }
}
