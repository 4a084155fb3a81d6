// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.time.Duration;

/** The answer to a wish for a lease. */
public sealed interface Acquisition {
    StoreTime now();

    /** Held from now for the asked term. */
    record Granted(Tokens tokens, int waiting, StoreTime now) implements Acquisition {}

    /** The entry named by {@code unless} stands there. Nothing was changed. */
    record Found(KvEntry.Present entry, StoreTime now) implements Acquisition {}

    /**
     * Others hold it until {@code remaining} at the latest unless they renew, or the line comes first.
     *
     * @param holderToken first token of a present holder, 0 if nobody holds
     * @param place how many wait before this owner; -1 if it has no place in line
     */
    record Busy(long holderToken, Duration remaining, int place, StoreTime now) implements Acquisition {}

    /** Nobody holds it, and the last holder left it quiet with a note. No place in line was taken. */
    record Hushed(Bytes note, long lastToken, Duration remaining, StoreTime now) implements Acquisition {}

    /** This owner's hold is over; ask with a fresh one. */
    record Ended(StoreTime now) implements Acquisition {}

    /** The request contradicts what stands there, such as another capacity. Nothing was changed. */
    record Refused(String reason, StoreTime now) implements Acquisition {}
}
