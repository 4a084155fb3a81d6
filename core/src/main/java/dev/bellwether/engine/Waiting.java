// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.engine;

import dev.bellwether.time.Deadline;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** How a blocking call waits for its asynchronous twin. */
public final class Waiting {
    private Waiting() {}

    /**
     * The result, or the failure as the engine made it, thrown with the caller's stack as a suppressed trace.
     *
     * @param limit a little beyond the engine's own deadline: it is the engine that ends the wait, this only makes sure
     * @throws CancellationException on interrupt: the future is cancelled and the flag stays set
     */
    public static <T extends @Nullable Object> T join(CompletableFuture<T> future, Deadline limit) {
        limit.timer().beforeBlocking(future::isDone);
        try {
            return future.get(limit.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            future.cancel(false);
            Thread.currentThread().interrupt();
            throw cancelled("interrupted while waiting");
        } catch (TimeoutException late) {
            future.cancel(false);
            throw new IllegalStateException("the engine overran its own deadline; please report this", late);
        } catch (ExecutionException failed) {
            throw rethrow(failed.getCause());
        }
    }

    /** Throws the failure of a stage: unchecked ones as they are. */
    public static RuntimeException rethrow(@Nullable Throwable failure) {
        if (failure instanceof CompletionException wrapped && wrapped.getCause() != null) failure = wrapped.getCause();
        if (failure instanceof RuntimeException unchecked) throw unchecked;
        if (failure instanceof Error error) throw error;
        throw new CompletionException(failure);
    }

    public static CancellationException cancelled(String why) {
        return new CancellationException(why + "; nothing is held and the place in line is gone");
    }
}
