// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.engine;

import dev.bellwether.spi.Check;
import dev.bellwether.spi.Mutation;
import java.util.List;

/**
 * Something of another service that takes part in a transaction: a lease that must be held, a delivery to acknowledge.
 * The service's own class implements it beside its public interface. Thread-safe.
 */
public interface CommitPart {
    /** How it appears in a message or an obstacle: the lock's name, the message's id. */
    String partName();

    /** Whether an obstacle to it means {@code LeaseLost} (a lease) or {@code Superseded} (a delivery). */
    Kind partKind();

    /** What must hold for the commit; may be empty. */
    List<Check> checks();

    /** What the commit changes for it; may be empty. */
    List<Mutation> mutations();

    /**
     * A commit with it is about to be sent. Each call is followed by exactly one {@link #ended}.
     *
     * @throws dev.bellwether.error.LeaseLostException if it is known here already that it cannot be committed
     */
    void begin();

    /** How the commit that {@link #begin} announced has ended; runs on any thread and must not block. */
    void ended(Ending ending);

    /** What kind of thing it is. */
    enum Kind {
        LEASE,
        DELIVERY
    }

    /** How a commit ended. */
    enum Ending {
        COMMITTED,
        /** Nothing happened: a conflict, or the store did not serve. */
        REFUSED,
        /** It may have been committed. */
        UNKNOWN
    }
}
