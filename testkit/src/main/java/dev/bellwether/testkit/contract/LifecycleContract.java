// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.bellwether.error.ClosedException;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Limits;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Subscription;
import dev.bellwether.time.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The end of a backend, and requests that are none. */
public abstract class LifecycleContract extends BackendContract {
    protected LifecycleContract() {}

    private interface Ask {
        CompletionStage<?> send();
    }

    private List<CompletionStage<?>> sendAll() {
        return requests().values().stream().<CompletionStage<?>>map(Ask::send).toList();
    }

    private Map<String, Ask> requests() {
        KvBackend backend = backend();
        ClaimRequest claim = new ClaimRequest(queue("q"), id(), List.of(), 1, LONG, LONG);
        Map<String, Ask> requests = new LinkedHashMap<>();
        requests.put("read", () -> backend.read(new Query.Keys(List.of(key("k")), true)));
        requests.put("commit", () -> backend.commit(commit(new Put(key("k"), bytes("v"), Expiry.NEVER))));
        requests.put("acquire", () -> backend.acquire(LeaseRequest.of(lease("l"), owner(), LONG)));
        requests.put("claim", () -> backend.claim(claim));
        requests.put("inspect", () -> backend.inspect(new Inspection.Store()));
        return requests;
    }

    @Test
    @Proves(Law.CLOSING)
    void afterCloseEverythingFailsAsClosed() {
        backend().close();
        requests().forEach((verb, request) -> {
            CompletionStage<?> stage = request.send(); // never thrown: the stage fails
            pass(Duration.ZERO);
            assertThat(catchThrowable(() -> stage.toCompletableFuture().get(10, TimeUnit.SECONDS)))
                    .as(verb + " after close")
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(ClosedException.class);
        });
    }

    @Test
    @Proves(Law.CLOSING)
    void closingAgainDoesNothing() {
        List<CompletionStage<?>> unused = sendAll();
        backend().close();
        backend().close();
        assertThat(backend().capabilities()).isNotNull();
    }

    @Test
    @Proves(Law.CLOSING)
    void manyMayCloseAtOnceWhileOthersAsk() throws Exception {
        ExecutorService threads = Threads.workers("contract");
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                ends.add(threads.submit(() -> {
                    start.await();
                    backend().close();
                    return null;
                }));
                ends.add(threads.submit(() -> {
                    start.await();
                    for (int j = 0; j < 50; j++) assertThat(sendAll()).doesNotContainNull();
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> end : ends) end.get(10, TimeUnit.SECONDS);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    @Proves(Law.CLOSING)
    void noRequestIsLeftWithoutAnAnswer() {
        List<CompletionStage<?>> stages = new ArrayList<>();
        for (int i = 0; i < 20; i++) stages.addAll(sendAll());
        backend().close();
        pass(Duration.ZERO);
        for (CompletionStage<?> stage : stages) {
            Throwable unused = catchThrowable(() -> stage.toCompletableFuture().get(10, TimeUnit.SECONDS));
            assertThat(stage.toCompletableFuture())
                    .as("a request cut off by close")
                    .isDone();
        }
    }

    @Test
    @Proves(Law.CLOSING)
    void subscriptionsMayBeClosedAfterTheBackend() {
        Subscription subscription = backend().listen(hint -> {});
        backend().close();
        subscription.close();
        subscription.close();
    }

    @Test
    @Proves(Law.ARGUMENTS)
    void nullIsRefusedAtOnceWithASentence() {
        KvBackend backend = backend();
        assertNullRefused("read", () -> backend.read(none()));
        assertNullRefused("commit", () -> backend.commit(none()));
        assertNullRefused("acquire", () -> backend.acquire(none()));
        assertNullRefused("claim", () -> backend.claim(none()));
        assertNullRefused("inspect", () -> backend.inspect(LifecycleContract.<Inspection<Object>>none()));
        assertNullRefused("listen", () -> backend.listen(LifecycleContract.<Consumer<Hint>>none()));
    }

    private static void assertNullRefused(String verb, Supplier<?> call) {
        Throwable failure = catchThrowable(call::get);
        assertThat(failure)
                .as(verb + " of null")
                .isInstanceOfAny(NullPointerException.class, IllegalArgumentException.class);
        assertThat(failure).message().as("the message of " + verb + " of null").isNotBlank();
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T none() {
        return null;
    }

    @Test
    @Proves({Law.ARGUMENTS, Law.SIZES})
    void theLimitsAreStatedAndConstant() {
        Limits limits = backend().capabilities().limits();
        assertThat(limits.maxValueBytes()).isPositive();
        assertThat(limits.maxCommitBytes()).isPositive();
        assertThat(limits.maxOperations()).isGreaterThanOrEqualTo(256);
        assertThat(limits.memory()).isGreaterThanOrEqualTo(Duration.ofSeconds(30));
        assertThat(backend().capabilities()).isEqualTo(backend().capabilities());
    }

    @Test
    @Proves(Law.ARGUMENTS)
    void theStoreTellsWhatItIs() {
        assertThat(inspect(new Inspection.Store())).as("what the doctor shows").isNotEmpty();
    }
}
