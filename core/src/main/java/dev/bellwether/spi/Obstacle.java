// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.util.Optional;
import java.util.OptionalLong;

/** One failed check or refused mutation, with what stands there. The index counts checks first, then mutations. */
public sealed interface Obstacle {
    int index();

    /** Another version stands there, or none, or one where none should. The value only if the check asked for it. */
    record EntryDiffers(
            int index, KvKey key, Version version, boolean present, OptionalLong expiresAtMillis, Optional<Bytes> value)
            implements Obstacle {}

    /** The lease is not held by that owner, or not by that token. */
    record NotHeld(int index, LeaseState now) implements Obstacle {}

    /** Others hold it, it is quiet, or its line comes first. */
    record LeaseTaken(int index, LeaseState now) implements Obstacle {}

    /** The delivery has been settled or superseded. */
    record Stale(int index, Receipt receipt, MessageState now) implements Obstacle {}

    /** The bound leaves room for this many messages. */
    record QueueFull(int index, QueueName queue, long room) implements Obstacle {}

    /** What stands there does not admit the mutation: no counter, an overflow, a running message, another capacity. */
    record Unfit(int index, String reason) implements Obstacle {}
}
