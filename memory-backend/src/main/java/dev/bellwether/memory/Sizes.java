// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Limits;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.QueueMutation.Enqueue;

/** Refuses what is larger than the stated limits. */
final class Sizes {
    private Sizes() {}

    static void check(Commit commit, Limits limits) {
        long bytes = 0;
        long operations = (long) commit.checks().size() + commit.mutations().size();
        for (Mutation mutation : commit.mutations()) {
            if (mutation instanceof Put put) {
                bytes += value(put.key().name().toString(), put.value().length(), limits);
            } else if (mutation instanceof Enqueue enqueue) {
                operations += enqueue.messages().size() - 1;
                for (Message message : enqueue.messages()) {
                    bytes += value(
                            enqueue.queue().name().toString(), message.payload().length(), limits);
                }
            }
        }
        if (operations > limits.maxOperations()) {
            throw new IllegalArgumentException("a commit of " + operations + " checks and mutations; at most "
                    + limits.maxOperations() + ", split it");
        }
        if (bytes > limits.maxCommitBytes()) {
            throw new IllegalArgumentException(
                    "a commit of " + bytes + " bytes; at most " + limits.maxCommitBytes() + ", split it");
        }
    }

    private static int value(String name, int length, Limits limits) {
        if (length > limits.maxValueBytes()) {
            throw new IllegalArgumentException("the value for " + name + " has " + length + " bytes, more than "
                    + limits.maxValueBytes() + "; store it elsewhere and keep a reference here");
        }
        return length;
    }
}
