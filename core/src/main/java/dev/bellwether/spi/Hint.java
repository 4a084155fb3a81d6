// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** A reason to look again, never more: hints may be lost, repeated or groundless, and no law rests on one. */
public sealed interface Hint {
    /** The entry may have changed since it was read with {@code arm}. Told once. */
    record Changed(KvKey key) implements Hint {}

    /** The lease, refused to somebody without a place in line, may be free. Told once. */
    record Freed(LeaseName lease) implements Hint {}

    /** It is this owner's turn: ask again. */
    record Passed(LeaseName lease, Owner owner) implements Hint {}

    /** Something may be due in the queue. */
    record Due(QueueName queue) implements Hint {}

    /** Hints may have been missed: distrust what rests on them, and verify what is held. */
    record Doubt(long generation) implements Hint {}
}
