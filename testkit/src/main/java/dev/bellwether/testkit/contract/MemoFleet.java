// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.Bellwether;
import dev.bellwether.memo.Memoizer;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Threads;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** Several processes that memoize over one store, each a {@link Bellwether} with a {@link Wire} of its own. */
abstract class MemoFleet {
    /** Long enough for a busy machine, and only reached by a test that fails. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    static final Duration LEASE = Duration.ofMillis(600);

    private final String namespace = "memo-" + UUID.randomUUID();
    private final List<Member> processes = new ArrayList<>();
    private final ExecutorService threads = Threads.workers("test");

    /** One process: its services, and its connection. */
    record Member(Bellwether bw, Wire wire) {}

    /** One more connection to the one store of this test, as another process would open it; closed by the test. */
    protected abstract KvBackend connect();

    /** The time on which store and processes live; it must pass by itself. */
    protected Timer timer() {
        return Timer.system();
    }

    Member member() {
        return member(builder -> builder);
    }

    Member member(UnaryOperator<Bellwether.Builder> options) {
        Wire wire = new Wire(connect());
        Bellwether.Builder builder =
                Bellwether.builder().owning(wire).namespace(namespace).time(timer());
        Member member = new Member(options.apply(builder).build(), wire);
        processes.add(member);
        return member;
    }

    /** A memoizer of strings, with a lease that a test can wait for. */
    static Memoizer.Builder<String, String> memoizer(Member member) {
        return member.bw()
                .memoizer("m", String.class, String.class)
                .ttl(Duration.ofMinutes(10))
                .lease(LEASE);
    }

    @AfterEach
    final void closeAll() {
        for (Member member : processes) {
            member.wire().become(Wire.State.UP);
            member.bw().close();
        }
        threads.shutdownNow();
    }

    /** Runs on a thread of its own. */
    <T> CompletableFuture<T> start(Callable<T> act) {
        CompletableFuture<T> result = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                result.complete(act.call());
            } catch (Throwable failure) { // whatever it is, the test wants to see it
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    <T> List<CompletableFuture<T>> start(int times, Callable<T> act) {
        List<CompletableFuture<T>> started = new ArrayList<>();
        for (int i = 0; i < times; i++) started.add(start(act));
        return started;
    }

    /** The result, or its failure as it was thrown. */
    static <T> T answer(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof RuntimeException unchecked
                    ? unchecked
                    : new CompletionException(failed.getCause());
        } catch (InterruptedException | TimeoutException late) {
            throw new AssertionError("no answer within " + PATIENCE, late);
        }
    }

    static Throwable failure(CompletableFuture<?> future) {
        try {
            Object value = future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            throw new AssertionError("a failure was expected, not " + value);
        } catch (ExecutionException failed) {
            return failed.getCause() == null ? failed : failed.getCause();
        } catch (java.util.concurrent.CancellationException cancelled) {
            return cancelled;
        } catch (InterruptedException | TimeoutException late) {
            throw new AssertionError("no answer within " + PATIENCE, late);
        }
    }

    /** Lets this much time pass. */
    void pass(Duration length) {
        CompletableFuture<Boolean> rung = new CompletableFuture<>();
        Timer.Scheduled unused = timer().after(length, () -> rung.complete(true));
        assertThat(answer(rung)).isTrue();
    }

    void await(String what, BooleanSupplier condition) {
        Deadline deadline = Deadline.after(timer(), PATIENCE);
        while (!condition.getAsBoolean()) {
            if (deadline.isPast()) throw new AssertionError("waited " + PATIENCE + " in vain until " + what);
            pass(Duration.ofMillis(2));
        }
    }

    Duration took(Runnable act) {
        long start = timer().nanoTime();
        act.run();
        return Duration.ofNanos(timer().nanoTime() - start);
    }
}
