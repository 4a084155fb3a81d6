// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Limits;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Place;
import dev.bellwether.spi.QueueMutation;
import org.jspecify.annotations.Nullable;

/** What a commit must not exceed, judged before anything is sent. */
final class Bounds {
    private final Limits limits;
    private @Nullable Partition partition;
    private long bytes;
    private long operations;

    private Bounds(Limits limits) {
        this.limits = limits;
    }

    /**
     * The partition of all that the commit names.
     *
     * @throws IllegalArgumentException if it names two, or is too large
     */
    static Partition partition(Commit commit, Limits limits) {
        Bounds bounds = new Bounds(limits);
        for (Check check : commit.checks()) bounds.visit(place(check), 1);
        for (Mutation mutation : commit.mutations()) bounds.visit(mutation);
        bounds.judge();
        if (bounds.partition == null) throw new IllegalArgumentException("an empty commit");
        return bounds.partition;
    }

    private static Place place(Check check) {
        if (check instanceof Check.Is is) return is.key();
        if (check instanceof Check.Vacant vacant) return vacant.key();
        if (check instanceof Check.Held held) return held.lease();
        if (check instanceof Check.Current current) return current.receipt().queue();
        throw new IllegalArgumentException("a check that this backend does not know: " + check);
    }

    private void visit(Mutation mutation) {
        int weight = 1;
        if (mutation instanceof EntryMutation.Put put) {
            count(put.value());
        } else if (mutation instanceof QueueMutation.Enqueue enqueue) {
            weight = enqueue.messages().size();
            for (Message message : enqueue.messages()) count(message.payload());
        } else if (mutation instanceof QueueMutation.Bury bury) {
            count(bury.detail());
        }
        visit(mutation.place(), weight);
    }

    private void visit(Place place, int weight) {
        operations += weight;
        if (partition == null) partition = place.partition();
        if (!partition.equals(place.partition())) {
            throw new IllegalArgumentException("a commit over two partitions, " + partition.tag() + " and "
                    + place.partition().tag() + ", which this backend cannot do at once; give what belongs together"
                    + " one partition");
        }
    }

    private void count(Bytes value) {
        bytes += value.length();
        if (value.length() > limits.maxValueBytes()) {
            throw new IllegalArgumentException("a value of " + value.length() + " bytes, more than "
                    + limits.maxValueBytes() + "; store it elsewhere and its address here");
        }
    }

    private void judge() {
        if (bytes > limits.maxCommitBytes()) {
            throw new IllegalArgumentException(
                    "a commit of " + bytes + " bytes, more than " + limits.maxCommitBytes() + "; split it");
        }
        if (operations > limits.maxOperations()) {
            throw new IllegalArgumentException(
                    "a commit of " + operations + " operations, more than " + limits.maxOperations() + "; split it");
        }
    }
}
