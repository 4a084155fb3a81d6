// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All mutations if every check holds, else nothing. Checks look at what stood before the first mutation.
 *
 * <p>One commit changes each entry, lease and message at most once and enqueues into each queue at most once, so that
 * its outcome never depends on an order. The id may be null only where the commit guards itself: where sending it twice
 * has the effect of sending it once because each mutation names an owner or a receipt, or because repeating it changes
 * nothing.
 */
public record Commit(@Nullable RequestId id, List<Check> checks, List<Mutation> mutations) {
    public Commit {
        checks = List.copyOf(checks);
        mutations = List.copyOf(mutations);
        if (checks.isEmpty() && mutations.isEmpty()) throw new IllegalArgumentException("an empty commit");
        if (mutations.size() > 1) refuseRepetition(mutations);
    }

    public static Commit of(Mutation... mutations) {
        return new Commit(null, List.of(), List.of(mutations));
    }

    private static void refuseRepetition(List<Mutation> mutations) {
        Set<Object> seen = new HashSet<>();
        for (Mutation mutation : mutations) {
            if (!seen.add(subject(mutation))) {
                throw new IllegalArgumentException(
                        "a commit changes " + mutation.place().name() + " twice; merge the changes");
            }
        }
    }

    private record Addition(QueueName queue) {}

    private record Letter(QueueName queue, MessageId id) {}

    private static Object subject(Mutation mutation) {
        if (mutation instanceof QueueMutation.Settlement settlement) {
            return new Letter(settlement.queue(), settlement.receipt().id());
        }
        if (mutation instanceof QueueMutation.Move move) return new Letter(move.queue(), move.id());
        if (mutation instanceof QueueMutation.Remove remove) return new Letter(remove.queue(), remove.id());
        if (mutation instanceof QueueMutation.Enqueue enqueue) return new Addition(enqueue.queue());
        return mutation.place();
    }
}
