// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Limits;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.QueueMutation;

/** The limits of one request, asked before it reaches the store. */
final class Sizes {
    static final Limits LIMITS = new Limits(64 << 20, 256L << 20, 100_000, RequestMemory.SPAN);

    private Sizes() {}

    /** @throws IllegalArgumentException naming the limit */
    static void check(Commit commit) {
        long operations = (long) commit.checks().size() + commit.mutations().size();
        long bytes = 0;
        for (Mutation mutation : commit.mutations()) {
            if (mutation instanceof QueueMutation.Enqueue enqueue) {
                operations += enqueue.messages().size() - 1;
                for (Message message : enqueue.messages()) bytes += checked("payload", message.payload());
            } else if (mutation instanceof EntryMutation.Put put) {
                bytes += checked("value", put.value());
            } else if (mutation instanceof QueueMutation.Bury bury) {
                bytes += checked("detail", bury.detail());
            }
        }
        if (operations > LIMITS.maxOperations()) throw tooMuch("operations", operations, LIMITS.maxOperations());
        if (bytes > LIMITS.maxCommitBytes()) throw tooMuch("bytes of values", bytes, LIMITS.maxCommitBytes());
    }

    private static int checked(String what, Bytes value) {
        if (value.length() <= LIMITS.maxValueBytes()) return value.length();
        throw new IllegalArgumentException(
                "a " + what + " has " + value.length() + " bytes; the memory backend takes at" + " most "
                        + LIMITS.maxValueBytes() + ": store it in parts, or elsewhere");
    }

    private static IllegalArgumentException tooMuch(String what, long number, long limit) {
        return new IllegalArgumentException(
                "a commit has " + number + " " + what + "; the memory backend takes at most " + limit + ": split it");
    }
}
