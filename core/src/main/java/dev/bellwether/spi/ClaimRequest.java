// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settles deliveries one by one, then claims what is due.
 *
 * @param id its process names the consumer, of whom the last claim is remembered; null only when nothing is claimed
 * @param settle each answered by itself; a stale one changes nothing and does not disturb the others
 * @param max how many messages to claim, at most 256; zero only settles
 * @param lease how long each claimed message stays invisible
 * @param idle how long this consumer wants to be woken when nothing was due; zero not at all
 */
public record ClaimRequest(
        QueueName queue,
        @Nullable RequestId id,
        List<QueueMutation.Settlement> settle,
        int max,
        Duration lease,
        Duration idle) {
    public static final int MAX_BATCH = 256;

    public ClaimRequest {
        settle = List.copyOf(settle);
        Durations.positive("the visibility lease", lease);
        Durations.notNegative("the idle time", idle);
        if (max < 0 || max > MAX_BATCH || settle.size() > MAX_BATCH) {
            throw new IllegalArgumentException("a claim settles and takes at most " + MAX_BATCH + " messages, not "
                    + settle.size() + " and " + max);
        }
        if (max > 0 && id == null)
            throw new IllegalArgumentException("a claim without an id would lose messages when sent twice");
        Set<MessageId> seen = new HashSet<>();
        for (QueueMutation.Settlement settlement : settle) {
            if (!settlement.queue().equals(queue))
                throw new IllegalArgumentException("a claim settles only its own queue");
            if (!seen.add(settlement.receipt().id())) {
                throw new IllegalArgumentException(
                        "a claim settles message " + settlement.receipt().id().value() + " twice");
            }
        }
    }
}
