// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.time.Duration;
import java.util.List;

/**
 * What a claim brought.
 *
 * @param settled for each settlement in order, whether it took effect (false: the receipt is stale)
 * @param buried messages that died in this step because their deliveries lapsed too often
 * @param nextDue when to look again at the latest: zero if more is due now, else until the next message or visibility
 *     lease falls due, {@link #NOTHING_DUE} if there is none
 */
public record Claim(
        List<Boolean> settled, List<Handout> handouts, List<MessageId> buried, Duration nextDue, StoreTime now) {
    public static final Duration NOTHING_DUE = Duration.ofDays(365_000);

    public Claim {
        settled = List.copyOf(settled);
        handouts = List.copyOf(handouts);
        buried = List.copyOf(buried);
    }

    /** One delivery: failures and crashes count what went before it. */
    public record Handout(Receipt receipt, Bytes payload, int failures, int crashes) {}
}
