// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.lock.AsyncLeaseLock;
import dev.bellwether.lock.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The asynchronous view: engine futures are handed over to the user's executor, and cancels come back. */
record DefaultAsyncLeaseLock(DefaultLeaseLock sync) implements AsyncLeaseLock {
    @Override
    public CompletableFuture<Lease> acquire() {
        return acquire(sync.options().maxWait());
    }

    @Override
    public CompletableFuture<Lease> acquire(Duration maxWait) {
        return handOver(waiting(maxWait), lease -> lease, BoundLease::surrender);
    }

    private CompletableFuture<BoundLease> waiting(Duration maxWait) {
        if (sync.service().isClosed()) {
            return CompletableFuture.failedFuture(sync.service().engine().closed());
        }
        return sync.waiting(maxWait);
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire() {
        return handOver(
                sync.target().look(sync.options()),
                lease -> lease.map(bound -> bound),
                lease -> lease.ifPresent(BoundLease::surrender));
    }

    @Override
    public <T> CompletableFuture<T> call(Function<? super Lease, ? extends CompletionStage<T>> body) {
        CompletableFuture<BoundLease> inner = waiting(sync.options().maxWait());
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletableFuture<BoundLease> lease = handOver(inner, bound -> bound, BoundLease::surrender);
        result.whenComplete((value, failure) -> {
            if (result.isCancelled()) lease.cancel(false);
        });
        lease.whenComplete((bound, failure) -> {
            if (bound == null) {
                result.completeExceptionally(plain(failure));
            } else {
                run(bound, body, result);
            }
        });
        return result;
    }

    private static <T> void run(
            BoundLease lease, Function<? super Lease, ? extends CompletionStage<T>> body, CompletableFuture<T> result) {
        CompletionStage<T> stage;
        try {
            stage = body.apply(lease);
        } catch (Throwable failure) {
            stage = CompletableFuture.failedFuture(failure);
        }
        stage.whenComplete((value, failure) -> {
            boolean under = lease.isHeld() || (lease.wasReleased() && lease.loss.cause() == null);
            lease.surrender().thenAccept(how -> {
                if (failure != null) {
                    result.completeExceptionally(plain(failure));
                } else if (!under || how == Tenure.Ending.LOST) {
                    result.completeExceptionally(lease.lostByStore());
                } else {
                    result.complete(value);
                }
            });
        });
    }

    @Override
    public CompletableFuture<Boolean> renew(Lease lease) {
        return handOver(bound(lease).prolong(), held -> held, held -> {});
    }

    @Override
    public CompletableFuture<Boolean> release(Lease lease) {
        BoundLease bound = bound(lease);
        return handOver(
                bound.surrender().thenApply(how -> {
                    if (how != Tenure.Ending.UNKNOWN) return how == Tenure.Ending.RELEASED;
                    throw new OutcomeUnknownException(
                            "release of " + bound.name() + ": no answer from the store; free when the lease ends",
                            null);
                }),
                released -> released,
                released -> {});
    }

    private static BoundLease bound(Lease lease) {
        if (lease instanceof BoundLease bound) return bound;
        throw new IllegalArgumentException("not a lease of this library: " + lease);
    }

    /**
     * A future for the user, completed on the executor. Cancelling it cancels the engine's; what that brings all the same
     * is dropped.
     */
    private <S, T> CompletableFuture<T> handOver(
            CompletableFuture<S> inner, Function<? super S, ? extends T> view, Consumer<? super S> drop) {
        CompletableFuture<T> outer = new CompletableFuture<>();
        outer.whenComplete((value, failure) -> {
            if (outer.isCancelled()) inner.cancel(false);
        });
        inner.whenComplete((value, failure) -> onExecutor(() -> {
            if (failure != null) {
                outer.completeExceptionally(plain(failure));
            } else if (!outer.complete(view.apply(value))) {
                drop.accept(value);
            }
        }));
        return outer;
    }

    private void onExecutor(Runnable delivery) {
        try {
            sync.service().engine().executor().execute(delivery);
        } catch (RejectedExecutionException shutDown) {
            delivery.run();
        }
    }

    private static Throwable plain(@Nullable Throwable failure) {
        if (failure instanceof CompletionException && failure.getCause() != null) return failure.getCause();
        return failure == null ? new IllegalStateException("failed without a failure") : failure;
    }
}
