// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What a lock description asks the store for: one name or several. */
interface Target {
    String label();

    /** Equal for two descriptions of the same lock in the same mode. */
    Object identity();

    /** Waits for it; cancelling the future gives it up and leaves nothing behind. Completed on any thread. */
    CompletableFuture<BoundLease> acquire(LockOptions options, Duration maxWait);

    /** One look. */
    CompletableFuture<Optional<BoundLease>> look(LockOptions options);
}
