// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The same acts as {@link LeaseLock}; its failures arrive in the future, unwrapped. A waiting future costs no thread.
 * Cancelling one gives up the place in line. Futures are completed on the executor.
 */
public interface AsyncLeaseLock {
    CompletableFuture<Lease> acquire();

    CompletableFuture<Lease> acquire(Duration maxWait);

    CompletableFuture<Optional<Lease>> tryAcquire();

    /** Holds until the stage that the body returns is complete. The body begins on the executor. */
    <T> CompletableFuture<T> call(Function<? super Lease, ? extends CompletionStage<T>> body);

    /** See {@link Lease#renew()}. */
    CompletableFuture<Boolean> renew(Lease lease);

    /** See {@link Lease#release()}; a quick release does not answer sooner here. */
    CompletableFuture<Boolean> release(Lease lease);

    LeaseLock sync();
}
