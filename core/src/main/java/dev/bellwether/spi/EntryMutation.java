// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import dev.bellwether.time.Durations;
import java.time.Duration;

/** A change of one entry, which receives the version of the commit. */
public sealed interface EntryMutation extends Mutation {
    KvKey key();

    @Override
    default Place place() {
        return key();
    }

    /** Stores the value. With an expiry that has passed the entry is absent afterwards, without a remembered delete. */
    record Put(KvKey key, Bytes value, Expiry expiry) implements EntryMutation {}

    /**
     * Removes the value. With {@code remember} above zero the delete itself is remembered for that long, also where
     * nothing stood: reads then answer absent with the version of the commit.
     */
    record Delete(KvKey key, Duration remember) implements EntryMutation {
        public Delete {
            Durations.notNegative("the time to remember a delete", remember);
        }
    }

    /** Changes the expiry, and with it the version, of a present entry; refused as unfit where none stands. */
    record Touch(KvKey key, Expiry expiry) implements EntryMutation {}

    /**
     * Counts. Where no value stands the operand itself is stored; a value that is no {@link Counter} is refused as
     * unfit, as is an overflow under {@link Overflow#FAIL}.
     */
    record Count(KvKey key, Op op, long operand, Overflow overflow, Expiry expiry) implements EntryMutation {}

    enum Op {
        ADD,
        MIN,
        MAX
    }

    /** What an addition beyond 64 bits does. */
    enum Overflow {
        FAIL,
        SATURATE,
        WRAP
    }
}
