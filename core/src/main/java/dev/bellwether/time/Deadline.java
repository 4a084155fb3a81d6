// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.time;

import java.time.Duration;

/** A point on a timer. */
public record Deadline(Timer timer, long nanos) {
    public static Deadline after(Timer timer, Duration length) {
        return new Deadline(timer, timer.nanoTime() + Durations.nanos(length));
    }

    /** Zero once it has passed. */
    public Duration remaining() {
        return Duration.ofNanos(remainingNanos());
    }

    public long remainingNanos() {
        return Math.max(0, nanos - timer.nanoTime());
    }

    public boolean isPast() {
        return nanos - timer.nanoTime() <= 0;
    }

    public Deadline min(Deadline other) {
        return nanos - other.nanos <= 0 ? this : other;
    }
}
