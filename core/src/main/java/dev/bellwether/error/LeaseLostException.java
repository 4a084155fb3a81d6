// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.error;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What was done under the lease stands, but it is no longer exclusive. Stop. */
public final class LeaseLostException extends BellwetherException {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    public LeaseLostException(String message, Reason reason, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = Objects.requireNonNull(reason);
    }

    public Reason reason() {
        return reason;
    }

    /** Why a lease ended against its holder's will. */
    public enum Reason {
        /** Its time passed before a renewal was confirmed. */
        EXPIRED,
        /** The store knows a later holder. */
        SUPERSEDED,
        /** An administrator broke it. */
        BROKEN,
        /** The store could not be reached until the time was up. */
        UNREACHABLE,
        /** This process stood still for longer than the lease. */
        PAUSED,
        /** The limit set by {@code atMost} was reached. */
        AT_MOST_REACHED,
        /** The service that granted it was closed. */
        CLOSED
    }
}
