// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.time;

import java.time.Duration;

/** How long to wait before the next attempt, a pure function of how many there were. */
@FunctionalInterface
public interface Backoff {
    /** @param attempt 1 for the wait after the first attempt */
    Duration after(int attempt);

    static Backoff fixed(Duration delay) {
        Durations.notNegative("the delay", delay);
        return attempt -> delay;
    }
}
