// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Limits;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.QueueMutation;
import java.util.List;
import java.util.stream.Stream;

/** Refuses, before it is sent, a commit that exceeds the stated limits. */
public final class Bounds {
    private Bounds() {}

    /** @throws IllegalArgumentException naming the limit */
    public static void check(Commit commit, Limits limits) {
        long operations = commit.checks().size()
                + commit.mutations().stream().mapToLong(Bounds::operations).sum();
        refuseAbove("operations", operations, limits.maxOperations());
        List<Bytes> values = commit.mutations().stream().flatMap(Bounds::values).toList();
        values.forEach(value -> refuseAbove("bytes of one value", value.length(), limits.maxValueBytes()));
        long total = values.stream().mapToLong(Bytes::length).sum();
        refuseAbove("bytes of all values", total, limits.maxCommitBytes());
    }

    private static long operations(Mutation mutation) {
        return mutation instanceof QueueMutation.Enqueue enqueue
                ? enqueue.messages().size()
                : 1;
    }

    private static Stream<Bytes> values(Mutation mutation) {
        if (mutation instanceof EntryMutation.Put put) return Stream.of(put.value());
        if (mutation instanceof QueueMutation.Bury bury) return Stream.of(bury.detail());
        if (mutation instanceof QueueMutation.Enqueue enqueue) {
            return enqueue.messages().stream().map(Message::payload);
        }
        return Stream.empty();
    }

    private static void refuseAbove(String what, long number, long limit) {
        if (number > limit) {
            throw new IllegalArgumentException(
                    "a commit has " + number + " " + what + ", more than " + limit + "; split it");
        }
    }
}
