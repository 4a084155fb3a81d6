// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import dev.bellwether.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A wish for a lease.
 *
 * @param owner fresh for each acquisition; sending the request again with the same owner gives the same answer
 * @param ttl the term, from the moment of the grant
 * @param share how much of the name's capacity
 * @param tokens how many fencing tokens to grant, so that a holder can hand the lease on within its process
 * @param retain how long the token counter outlives the last grant; zero for leases whose tokens nobody compares
 * @param line how to wait, or null to be told and go
 * @param unless answer {@link Acquisition.Found} when an entry stands there, or null
 * @param evenIfQuiet take a quiet name all the same
 */
public record LeaseRequest(
        LeaseName lease,
        Owner owner,
        Duration ttl,
        Share share,
        int tokens,
        Duration retain,
        @Nullable Line line,
        @Nullable Unless unless,
        boolean evenIfQuiet) {
    public static final int MAX_TOKENS = 1_024;

    public LeaseRequest {
        Durations.positive("the lease", ttl);
        Durations.notNegative("the retention of the token counter", retain);
        if (tokens < 1 || tokens > MAX_TOKENS) {
            throw new IllegalArgumentException("asked for " + tokens + " tokens; it must be 1 to " + MAX_TOKENS);
        }
        if (unless != null && !unless.key().partition().equals(lease.partition())) {
            throw new IllegalArgumentException("the entry and the lease are in two partitions");
        }
    }

    public static LeaseRequest of(LeaseName lease, Owner owner, Duration ttl) {
        return new LeaseRequest(lease, owner, ttl, Share.WHOLE, 1, Duration.ofDays(1), null, null, false);
    }

    public LeaseRequest withShare(Share share) {
        return new LeaseRequest(lease, owner, ttl, share, tokens, retain, line, unless, evenIfQuiet);
    }

    public LeaseRequest withTokens(int tokens) {
        return new LeaseRequest(lease, owner, ttl, share, tokens, retain, line, unless, evenIfQuiet);
    }

    public LeaseRequest withRetain(Duration retain) {
        return new LeaseRequest(lease, owner, ttl, share, tokens, retain, line, unless, evenIfQuiet);
    }

    public LeaseRequest withLine(@Nullable Line line) {
        return new LeaseRequest(lease, owner, ttl, share, tokens, retain, line, unless, evenIfQuiet);
    }

    public LeaseRequest withUnless(@Nullable Unless unless) {
        return new LeaseRequest(lease, owner, ttl, share, tokens, retain, line, unless, evenIfQuiet);
    }

    public LeaseRequest withEvenIfQuiet(boolean evenIfQuiet) {
        return new LeaseRequest(lease, owner, ttl, share, tokens, retain, line, unless, evenIfQuiet);
    }

    /** How much of a capacity. All requests for one name must state the same capacity while anybody holds it. */
    public record Share(int weight, int capacity) {
        public static final Share WHOLE = new Share(1, 1);

        public Share {
            if (weight < 1 || capacity < weight) {
                throw new IllegalArgumentException("a share of " + weight + " in a capacity of " + capacity
                        + "; the share must be 1 or more and fit the capacity");
            }
        }
    }

    /**
     * How to wait.
     *
     * @param ticket life of the place in line; asking again keeps it alive
     * @param grant term of a lease that was handed over and not yet confirmed by asking again
     * @param patience how long newcomers may overtake while this place is the first; afterwards the lease is handed
     */
    public record Line(Duration ticket, Duration grant, Duration patience) {
        public Line {
            Durations.positive("the life of a place in line", ticket);
            Durations.positive("the term of an unconfirmed grant", grant);
            Durations.notNegative("the patience", patience);
        }
    }

    /** Answer Found when a value stands there whose version is not the one already seen. */
    public record Unless(KvKey key, Version seen) {}
}
