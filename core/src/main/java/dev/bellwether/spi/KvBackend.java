// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A store with a clock: entries, leases and queues under one atomic commit.
 *
 * <p>No method blocks or throws, but for {@code IllegalArgumentException} on a request that breaks a limit or a
 * capability of this backend. Stages fail by certainty: {@code BackendUnavailableException} and
 * {@code RejectedException} (nothing happened), {@code OutcomeUnknownException} (it may have), {@code ClosedException}.
 * They may complete on a thread of the driver: dependents must not block there.
 *
 * <p>Every request may be sent twice with the effect of once, within {@link Limits#memory()}.
 */
public interface KvBackend extends AutoCloseable {
    /** Reads keys or a range, and arms a hint for their next change if asked. */
    CompletionStage<Reading> read(Query query);

    /** Applies all mutations if every check holds, else nothing, and says all that stood in the way. */
    CompletionStage<CommitReply> commit(Commit commit);

    /**
     * Grants a lease, or says in the same step why not and takes a place in line if asked to. Without a line a refusal
     * arms {@link Hint.Freed}, and {@link Hint.Changed} for the entry of {@code unless}.
     */
    CompletionStage<Acquisition> acquire(LeaseRequest request);

    /** Settles deliveries one by one, then claims what is due or registers for a wake-up, in one step. */
    CompletionStage<Claim> claim(ClaimRequest request);

    /** Looks without touching. */
    <R> CompletionStage<R> inspect(Inspection<R> what);

    /** Hands every hint of this backend to the listener, on a thread that must not block. */
    Subscription listen(Consumer<? super Hint> listener);

    Capabilities capabilities();

    /** Ends every wait with a {@code ClosedException}, in bounded time; idempotent. */
    @Override
    void close();
}
