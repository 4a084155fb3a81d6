// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.util.List;
import java.util.Set;

/** What one mutation brought forth. */
public sealed interface Outcome {
    Outcome DONE = new Done();

    /** Of Put, Touch, Release, Leave, Break, Move, Remove, Tune and the settlements. */
    record Done() implements Outcome {}

    /** Of Delete: whether a value stood there. */
    record Deleted(boolean existed) implements Outcome {}

    /** Of Count: the new number. */
    record Counted(long number) implements Outcome {}

    /** Of Take. */
    record Taken(Tokens tokens) implements Outcome {}

    /** Of Renew: how many wait in line. */
    record Renewed(int waiting) implements Outcome {}

    /** Of Enqueue: an id for each message in order; {@code duplicates} are the positions that were not enqueued. */
    record Enqueued(List<MessageId> ids, Set<Integer> duplicates) implements Outcome {
        public Enqueued {
            ids = List.copyOf(ids);
            duplicates = Set.copyOf(duplicates);
        }
    }
}
