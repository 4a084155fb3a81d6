// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lock;

import dev.bellwether.error.LeaseLostException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One process's candidacy for a name that has one leader at a time. It stands again after each term. Closing resigns and
 * withdraws. Thread-safe.
 */
public interface Election extends AutoCloseable {
    /** By this process's own clock and the store's last word: true only while no other can lead. */
    boolean isLeader();

    /** The lease of this term while leading, for its fence. Releasing it is resigning. */
    Optional<Lease> term();

    /** Label of the present leader, wherever it is; its process number if it has not told its label. One round trip. */
    Optional<String> leader();

    /** Steps down for the others and stays a candidate, the last in line. {@code onRevoked} runs first. */
    void resign();

    /** Idempotent. {@code onRevoked} of a term under way is run, in bounded time. */
    @Override
    void close();

    interface Builder {
        /** How soon a dead leader is replaced (10 s, at least 100 ms). */
        Builder lease(Duration lease);

        /** Called on the executor at the start of a term; never at the same time as {@code onRevoked} of the same candidate. */
        Builder onElected(Consumer<? super Lease> reaction);

        /** Called on the executor at the end of each term, resigned ones included, and before the next begins. */
        Builder onRevoked(Consumer<? super LeaseLostException> reaction);

        Election join();
    }
}
