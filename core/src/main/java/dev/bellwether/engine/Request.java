// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.engine;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One request to the backend, sent as often as it takes.
 */
final class Request<T> {
    /*
     * Sending again
     * -------------
     * Every request of the SPI has the effect of one however often it arrives within the store's memory (law S4), so an
     * attempt that brought no answer is repeated, whether or not it took effect. Two bounds: the caller's deadline, and
     * RESEND after the first send, well inside the memory of 30 s, since a copy that arrives after the store has
     * forgotten the first could take effect a second time. Once one attempt may have arrived, the request as a whole may
     * have taken effect: a later refusal does not make it certain that nothing happened. A request that changes nothing
     * has no such doubt: a missing answer only means that the store did not serve.
     */
    private static final Duration RESEND = Duration.ofSeconds(15);

    /** First pause; doubled each time up to the longest, at random between half and full. */
    private static final long FIRST_PAUSE_NANOS = 5_000_000;

    private static final long LONGEST_PAUSE_NANOS = 200_000_000;

    private final Engine engine;
    private final String what;
    private final Deadline deadline;
    private final Supplier<CompletionStage<T>> supplier;
    private final boolean again;
    private final boolean changes;
    private final long startNanos;
    private final Deadline lastSend;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private int attempts;
    private boolean mayHaveHappened;

    Request(
            Engine engine,
            String what,
            Deadline deadline,
            Supplier<CompletionStage<T>> supplier,
            boolean again,
            boolean changes) {
        this.engine = engine;
        this.what = what;
        this.deadline = deadline;
        this.supplier = supplier;
        this.again = again;
        this.changes = changes;
        this.startNanos = engine.timer().nanoTime();
        this.lastSend = new Deadline(engine.timer(), startNanos + RESEND.toNanos()).min(deadline);
    }

    CompletableFuture<T> start() {
        attempt();
        return result;
    }

    private void attempt() {
        if (engine.isClosed()) {
            finish(null, mayHaveHappened ? unknown(engine.closed()) : engine.closed());
            return;
        }
        attempts++;
        CompletableFuture<T> stage;
        try {
            stage = supplier.get().toCompletableFuture();
        } catch (RuntimeException refused) {
            finish(null, refused);
            return;
        }
        if (stage.isDone()) {
            stage.whenComplete(this::answered);
            return;
        }
        AtomicBoolean over = new AtomicBoolean();
        Duration limit = Durations.min(engine.requestTimeout(), deadline.remaining());
        Scheduled timeout = engine.timer().after(limit, () -> {
            if (over.compareAndSet(false, true)) {
                answered(null, new TimeoutException("no answer within " + limit.toMillis() + " ms"));
            }
        });
        stage.whenComplete((value, failure) -> {
            if (over.compareAndSet(false, true)) {
                timeout.cancel();
                answered(value, failure);
            }
        });
    }

    private void answered(@Nullable T value, @Nullable Throwable thrown) {
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (failure == null) {
            finish(value, null);
        } else if (failure instanceof OutcomeUnknownException || failure instanceof TimeoutException) {
            mayHaveHappened = changes;
            againOr(failure);
        } else if (failure instanceof BackendUnavailableException) {
            againOr(failure);
        } else {
            finish(null, mayHaveHappened && certain(failure) ? unknown(failure) : failure);
        }
    }

    /** Whether the failure claims that nothing happened, which it can only say of its own attempt. */
    private static boolean certain(Throwable failure) {
        return failure instanceof dev.bellwether.error.BellwetherException ours && ours.nothingHappened();
    }

    private void againOr(Throwable failure) {
        long pause = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(attempts - 1, 10));
        pause = (long) (pause * (0.5 + engine.timer().random() / 2));
        if (!again || lastSend.remainingNanos() <= pause) {
            finish(null, mayHaveHappened ? unknown(failure) : unavailable(failure));
            return;
        }
        Scheduled unused = engine.timer().after(Duration.ofNanos(pause), this::attempt);
    }

    private void finish(@Nullable T value, @Nullable Throwable failure) {
        if (engine.isListening()) {
            engine.tell(
                    listener -> listener.onRequest(new BellwetherListener.Request(what, failure == null, elapsed())));
        }
        if (failure != null) {
            result.completeExceptionally(failure);
        } else {
            complete(value);
        }
    }

    @SuppressWarnings("NullAway") // a stage may answer null where T admits it
    private void complete(@Nullable T value) {
        result.complete(value);
    }

    private Duration elapsed() {
        return Duration.ofNanos(engine.timer().nanoTime() - startNanos);
    }

    private OutcomeUnknownException unknown(Throwable cause) {
        return new OutcomeUnknownException(
                what + ": no answer after " + attempts + " attempts in "
                        + elapsed().toMillis() + " ms; it may have happened, look before acting again",
                cause);
    }

    private BackendUnavailableException unavailable(Throwable cause) {
        return new BackendUnavailableException(
                what + ": the store did not serve after " + attempts + " attempts in "
                        + elapsed().toMillis() + " ms (" + cause.getMessage() + "); nothing happened",
                cause);
    }
}
