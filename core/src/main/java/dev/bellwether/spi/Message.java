// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import dev.bellwether.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the store itself must know of a message; everything else is inside the payload.
 *
 * @param band priority, 0 first, at most 63; each band costs {@link QueueSettings#ageing()} of waiting, so that no
 *     message starves
 * @param group messages of one group are delivered one after the other, in order
 * @param dedup within its window a second message with this key is not enqueued
 * @param crashes deliveries that may end by lapsing before the message is dead, and the wait after each
 */
public record Message(
        Bytes payload,
        Duration delay,
        int band,
        @Nullable Bytes group,
        @Nullable Dedup dedup,
        CrashPolicy crashes) {
    public static final int MAX_BAND = 63;

    public Message {
        Durations.notNegative("the delay of a message", delay);
        if (band < 0 || band > MAX_BAND) {
            throw new IllegalArgumentException("the priority is " + band + "; it must lie between 0 and " + MAX_BAND);
        }
        if (group != null) Names.check("message group", group);
    }

    public static Message of(Bytes payload) {
        return new Message(payload, Duration.ZERO, 0, null, null, CrashPolicy.DEFAULT);
    }

    /** The key is held from the enqueue until the window ends, the message dies or it is removed. */
    public record Dedup(Bytes key, Duration window, Mode mode) {
        public Dedup {
            Names.check("deduplication", key);
            Durations.positive("the deduplication window", window);
        }

        public enum Mode {
            /** The second message is dropped; its outcome is the id of the first. */
            IGNORE,
            /** The payload and the due time of a first message that is still waiting are replaced; if it is running or
             *  gone, as IGNORE. */
            REPLACE
        }
    }

    public record CrashPolicy(int maxCrashes, Duration delay) {
        public static final CrashPolicy DEFAULT = new CrashPolicy(3, Duration.ofSeconds(1));

        public CrashPolicy {
            if (maxCrashes < 0)
                throw new IllegalArgumentException("the number of crashes is " + maxCrashes + "; it must be 0 or more");
            Durations.notNegative("the delay after a crash", delay);
        }
    }
}
