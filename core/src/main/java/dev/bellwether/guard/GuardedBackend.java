// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.guard;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Capabilities;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Subscription;
import dev.bellwether.time.Timer;
import dev.bellwether.time.Timer.Scheduled;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The decorator that {@link Guard} builds; the only class that sees Resilience4j. */
final class GuardedBackend implements KvBackend {
    /*
     * What a permission becomes
     * -------------------------
     * Each request takes a slot and a permission of the breaker, and gives both back exactly once: when it is answered,
     * or when its time is over, whichever comes first (Call.over). A slot is not kept for a request that is not waited
     * for any more, else a store that never answers would use them up for good. An answer, whatever it says, is a success
     * for the breaker; a refusal of the request itself (IllegalArgumentException) and the end of the backend
     * (ClosedException) say nothing about the store, so the permission goes back unused.
     */
    private final KvBackend inside;
    private final Timer timer;
    private final Duration limit;
    private final Semaphore slots;
    private final int inFlight;
    private final CircuitBreaker breaker;

    GuardedBackend(Guard guard) {
        inside = guard.inside;
        timer = guard.timer;
        limit = guard.timeLimit;
        inFlight = guard.inFlight;
        slots = new Semaphore(inFlight);
        breaker = CircuitBreaker.of("bellwether", config(guard));
    }

    private static CircuitBreakerConfig config(Guard guard) {
        return CircuitBreakerConfig.custom()
                .failureRateThreshold(guard.failureRate)
                .slowCallRateThreshold(guard.slowRate)
                .slowCallDurationThreshold(guard.slow)
                .slidingWindowSize(guard.window)
                .minimumNumberOfCalls(guard.leastCalls)
                .permittedNumberOfCallsInHalfOpenState(guard.probes)
                .waitDurationInOpenState(guard.openFor)
                .recordException(GuardedBackend::blamesTheStore)
                .ignoreException(GuardedBackend::saysNothingOfTheStore)
                .clock(new Steady(guard.timer))
                .currentTimestampFunction(clock -> guard.timer.nanoTime(), TimeUnit.NANOSECONDS)
                .build();
    }

    private static boolean blamesTheStore(Throwable failure) {
        return failure instanceof BackendUnavailableException
                || failure instanceof OutcomeUnknownException
                || failure instanceof TimeoutException;
    }

    private static boolean saysNothingOfTheStore(Throwable failure) {
        return failure instanceof ClosedException || failure instanceof IllegalArgumentException;
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return guarded("read", false, () -> inside.read(query));
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        return guarded("commit", !commit.mutations().isEmpty(), () -> inside.commit(commit));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return guarded("acquire", true, () -> inside.acquire(request));
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        return guarded("claim", true, () -> inside.claim(request));
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return guarded("inspect", false, () -> inside.inspect(what));
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        return inside.listen(listener);
    }

    @Override
    public Capabilities capabilities() {
        return inside.capabilities();
    }

    @Override
    public void close() {
        inside.close();
    }

    private <T> CompletionStage<T> guarded(String verb, boolean changes, Supplier<CompletionStage<T>> request) {
        if (!breaker.tryAcquirePermission()) {
            return refused(
                    verb + ": the circuit breaker is open, as the store has not served of late; nothing happened");
        }
        if (!slots.tryAcquire()) {
            breaker.releasePermission();
            return refused(verb + ": " + inFlight + " requests are unanswered, the limit; nothing happened");
        }
        Call<T> call = new Call<>(verb, changes);
        CompletionStage<T> answer;
        try {
            answer = request.get();
        } catch (RuntimeException wrong) {
            call.end(wrong);
            throw wrong;
        }
        return call.await(answer);
    }

    private static <T> CompletionStage<T> refused(String message) {
        return CompletableFuture.failedFuture(new BackendUnavailableException(message, null));
    }

    private final class Call<T> {
        private final String verb;
        private final boolean changes;
        private final long startNanos = timer.nanoTime();
        private final AtomicBoolean over = new AtomicBoolean();
        private final CompletableFuture<T> result = new CompletableFuture<>();

        Call(String verb, boolean changes) {
            this.verb = verb;
            this.changes = changes;
        }

        CompletionStage<T> await(CompletionStage<T> answer) {
            CompletableFuture<T> future = answer.toCompletableFuture();
            if (future.isDone()) {
                future.whenComplete((value, thrown) -> end(cause(thrown)));
                return answer;
            }
            Scheduled timeout = timer.after(limit, this::timedOut);
            future.whenComplete((value, thrown) -> {
                timeout.cancel();
                Throwable failure = cause(thrown);
                if (!end(failure)) return;
                if (failure == null) {
                    result.complete(value);
                } else {
                    result.completeExceptionally(failure);
                }
            });
            return result;
        }

        private void timedOut() {
            TimeoutException late = new TimeoutException("no answer within " + limit.toMillis() + " ms");
            if (!end(late)) return;
            result.completeExceptionally(
                    changes
                            ? new OutcomeUnknownException(
                                    verb + ": " + late.getMessage() + "; it may have happened", late)
                            : new BackendUnavailableException(verb + ": " + late.getMessage(), late));
        }

        /** False if it has ended before. */
        boolean end(@Nullable Throwable failure) {
            if (!over.compareAndSet(false, true)) return false;
            slots.release();
            long took = timer.nanoTime() - startNanos;
            if (failure == null) {
                breaker.onSuccess(took, TimeUnit.NANOSECONDS);
            } else {
                breaker.onError(took, TimeUnit.NANOSECONDS, failure);
            }
            return true;
        }
    }

    private static @Nullable Throwable cause(@Nullable Throwable thrown) {
        return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }

    /** The monotonic timer as a clock, so that no step of the wall clock keeps the breaker open. */
    private static final class Steady extends Clock {
        private final Timer timer;
        private final long startNanos;

        Steady(Timer timer) {
            this.timer = timer;
            this.startNanos = timer.nanoTime();
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH.plusNanos(timer.nanoTime() - startNanos);
        }
    }
}
