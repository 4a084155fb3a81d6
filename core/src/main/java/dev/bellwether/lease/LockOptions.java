// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the user chose for one lock; checked where it is set. */
record LockOptions(
        Duration maxWait,
        Duration lease,
        Duration atLeast,
        @Nullable Duration atMost,
        boolean fair,
        boolean interruptOnLoss,
        boolean quickRelease) {
    /** A dead holder is replaced after this; three renewals fit in. */
    static final LockOptions DEFAULT =
            new LockOptions(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ZERO, null, false, false, false);

    /** Shorter leases would be lost to an ordinary pause of the collector or the scheduler. */
    private static final Duration SHORTEST = Duration.ofMillis(100);

    private static final Duration LONGEST = Duration.ofDays(30);

    /** The longest that a name may stay taken after its release; more is a mistake of units. */
    private static final Duration LONGEST_QUIET = Duration.ofDays(365);

    LockOptions withMaxWait(Duration limit) {
        Durations.notNegative("maxWait", limit);
        return new LockOptions(limit, lease, atLeast, atMost, fair, interruptOnLoss, quickRelease);
    }

    LockOptions withLease(Duration length) {
        Durations.between("the lease", length, SHORTEST, LONGEST);
        return new LockOptions(maxWait, length, atLeast, atMost, fair, interruptOnLoss, quickRelease);
    }

    LockOptions withAtLeast(Duration hold) {
        Durations.between("atLeast", hold, Duration.ZERO, LONGEST_QUIET);
        return new LockOptions(maxWait, lease, hold, atMost, fair, interruptOnLoss, quickRelease);
    }

    LockOptions withAtMost(Duration hold) {
        if (hold.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException("atMost is " + hold + "; it must be " + SHORTEST + " or longer");
        }
        return new LockOptions(maxWait, lease, atLeast, hold, fair, interruptOnLoss, quickRelease);
    }

    LockOptions inOrder() {
        return new LockOptions(maxWait, lease, atLeast, atMost, true, interruptOnLoss, quickRelease);
    }

    LockOptions interrupting() {
        return new LockOptions(maxWait, lease, atLeast, atMost, fair, true, quickRelease);
    }

    LockOptions quick() {
        return new LockOptions(maxWait, lease, atLeast, atMost, fair, interruptOnLoss, true);
    }

    /** The term to ask for. */
    Duration term() {
        return atMost == null ? lease : Durations.min(lease, atMost);
    }

    /** Whether a released lease may go to the next waiter of this process without the store's word. */
    boolean allowsHandingOn() {
        return !fair && atLeast.isZero() && atMost == null;
    }
}
