// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import dev.bellwether.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A change of one lease. */
public sealed interface LeaseMutation extends Mutation {
    LeaseName lease();

    @Override
    default Place place() {
        return lease();
    }

    /** Acquires without waiting; refused with {@link Obstacle.LeaseTaken} where {@code acquire} would not grant. */
    record Take(LeaseRequest request) implements LeaseMutation {
        public Take {
            if (request.line() != null || request.unless() != null) {
                throw new IllegalArgumentException("a lease taken within a commit neither waits nor asks for an entry");
            }
        }

        @Override
        public LeaseName lease() {
            return request.lease();
        }
    }

    /**
     * Begins a new term now. Refused with {@link Obstacle.NotHeld} when the hold has ended or is barred. With
     * {@code reinstate} (the range once granted) a hold that the store has forgotten is restored, provided that no
     * token beyond that range was ever granted, the name is not quiet and there is room.
     *
     * @param share what a restored hold takes of the name's capacity; without {@code reinstate} it says nothing
     */
    record Renew(
            LeaseName lease,
            Owner owner,
            Duration ttl,
            @Nullable Tokens reinstate,
            LeaseRequest.Share share) implements LeaseMutation {
        public Renew {
            Durations.positive("the lease", ttl);
        }

        /** Of a whole share. */
        public Renew(LeaseName lease, Owner owner, Duration ttl, @Nullable Tokens reinstate) {
            this(lease, owner, ttl, reinstate, LeaseRequest.Share.WHOLE);
        }
    }

    /** Ends the hold, leaves the name quiet if asked, else passes it to the line. Refused with {@link Obstacle.NotHeld}. */
    record Release(LeaseName lease, Owner owner, Quiet quiet) implements LeaseMutation {}

    /** Gives up a place in line or a hold, whichever there is; never refused. */
    record Leave(LeaseName lease, Owner owner) implements LeaseMutation {}

    /**
     * Ends somebody's hold by force. {@code token} null means whoever holds it (all holders; never refused; quiet ends
     * too); otherwise the holder whose range contains the token, or refused with {@link Obstacle.NotHeld}.
     * {@code atOnce}: the name is free now, as fits a fenced fill; otherwise the hold is <em>barred</em>: it can no
     * longer be renewed and ends by its own time, so that no two ever believe in it. The token counter moves past the
     * broken range, so that the hold cannot be reinstated.
     */
    record Break(LeaseName lease, @Nullable Long token, boolean atOnce) implements LeaseMutation {}
}
