// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Waiting;
import dev.bellwether.time.Deadline;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** How the blocking twin waits for leases. */
final class Blocking {
    private Blocking() {}

    /** The lease; if the wait is interrupted, none, whatever was granted at that moment. */
    static <T extends BoundLease> T lease(CompletableFuture<T> future, Deadline limit) {
        if (Thread.currentThread().isInterrupted()) {
            drop(future);
            throw Waiting.cancelled("interrupted before waiting");
        }
        try {
            return Waiting.join(future, limit);
        } catch (IllegalStateException interruptedOrOverrun) {
            drop(future);
            throw interruptedOrOverrun;
        }
    }

    /** Gives up a wait, and the lease that may just have come. */
    static void drop(CompletableFuture<? extends BoundLease> future) {
        future.cancel(false);
        future.whenComplete((lease, failure) -> {
            if (lease != null) lease.surrender();
        });
    }

    /** The result, or null when the limit comes first; then the act goes on. */
    static <T> @Nullable T take(CompletableFuture<T> future, Deadline limit) {
        limit.timer().beforeBlocking(future::isDone);
        try {
            return future.get(limit.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while waiting for the store's answer");
        } catch (TimeoutException late) {
            return null;
        } catch (ExecutionException failed) {
            throw Waiting.rethrow(failed.getCause());
        }
    }

    /** Waits for the end of something for no longer than the limit, and throws nothing. */
    static void quietly(CompletableFuture<?> future, Deadline limit) {
        try {
            Object unused = uninterruptibly(future.handle((done, failure) -> true), limit);
        } catch (IllegalStateException manual) {
            // Time stands still in this test: what is not done now goes on when it is moved.
        }
    }

    /** As {@link #take}, not to be interrupted: the flag is kept for the caller. */
    static <T> @Nullable T uninterruptibly(CompletableFuture<T> future, Deadline limit) {
        limit.timer().beforeBlocking(future::isDone);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get(limit.remainingNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException again) {
                    interrupted = true;
                } catch (TimeoutException late) {
                    return null;
                } catch (ExecutionException failed) {
                    throw Waiting.rethrow(failed.getCause());
                }
            }
        } finally {
            if (interrupted) Thread.currentThread().interrupt();
        }
    }
}
