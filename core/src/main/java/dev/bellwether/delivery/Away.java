// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.error.BellwetherException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Futures for users: what hangs on them never runs on a thread of the backend (law E2). */
final class Away {
    private Away() {}

    /** The outcome of an act; its failure in the future, unwrapped, unless it is one of programming. */
    static <R> CompletableFuture<R> from(Executor executor, Supplier<CompletableFuture<R>> act) {
        CompletableFuture<R> result;
        try {
            result = act.get();
        } catch (BellwetherException failure) {
            return CompletableFuture.failedFuture(failure);
        }
        CompletableFuture<R> away = new CompletableFuture<>();
        if (result.isDone()) {
            result.whenComplete((value, failure) -> complete(away, value, failure)); // on this thread: the caller's
        } else {
            result.whenComplete((value, failure) -> run(executor, () -> complete(away, value, failure)));
        }
        return away;
    }

    private static void run(Executor executor, Runnable work) {
        try {
            executor.execute(work);
        } catch (RejectedExecutionException closed) {
            work.run(); // nobody is left to do it, and somebody may wait
        }
    }

    @SuppressWarnings("NullAway") // a future may hold null where its type admits it
    private static <R> void complete(CompletableFuture<R> away, @Nullable R value, @Nullable Throwable failure) {
        if (failure == null) {
            away.complete(value);
        } else {
            boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
            away.completeExceptionally(wrapped ? failure.getCause() : failure);
        }
    }
}
