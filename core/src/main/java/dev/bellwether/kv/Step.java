// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Waiting;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.time.Deadline;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request and what to make of its answer, once for both kinds of callers.
 *
 * @param answer completes on any thread
 * @param meaning may run user code (a codec), therefore on the caller's thread or on the executor
 * @param changes whether an answer that is not waited for leaves the outcome open
 */
record Step<R, T extends @Nullable Object>(
        CompletableFuture<R> answer, Function<? super R, ? extends T> meaning, boolean changes) {
    /** How long one read or write may take in all; longer would only delay the bad news. */
    static final Duration LIMIT = Duration.ofSeconds(5);

    /** The engine ends each wait itself; a thread gives up this much later in any case. */
    private static final Duration SLACK = Duration.ofSeconds(2);

    /** The same step, whose answer means something else. */
    <U extends @Nullable Object> Step<R, U> then(Function<? super T, ? extends U> further) {
        return new Step<>(answer, value -> further.apply(meaning.apply(value)), changes);
    }

    /** Blocks. */
    T await(Engine engine, Deadline deadline) {
        return meaning.apply(join(engine, answer, deadline, changes));
    }

    static <R> R join(Engine engine, CompletableFuture<R> answer, Deadline deadline, boolean changes) {
        try {
            return Waiting.join(answer, engine.within(deadline.remaining().plus(SLACK)));
        } catch (CancellationException interrupted) {
            if (changes && Thread.currentThread().isInterrupted()) {
                throw new OutcomeUnknownException(
                        "interrupted before the store answered; it may have happened, look before acting again",
                        interrupted);
            }
            throw interrupted;
        }
    }

    /** Completes on the executor, or is complete at once. */
    CompletableFuture<T> async(Executor executor) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (answer.isDone()) {
            answer.whenComplete((value, failure) -> finish(result, value, failure));
            return result;
        }
        answer.whenComplete((value, failure) -> {
            try {
                executor.execute(() -> finish(result, value, failure));
            } catch (RejectedExecutionException closed) {
                finish(result, value, failure);
            }
        });
        return result;
    }

    private void finish(CompletableFuture<T> result, R value, @Nullable Throwable failure) {
        if (failure != null) {
            result.completeExceptionally(unwrapped(failure));
            return;
        }
        try {
            result.complete(meaning.apply(value));
        } catch (RuntimeException wrong) {
            result.completeExceptionally(wrong);
        }
    }

    static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
