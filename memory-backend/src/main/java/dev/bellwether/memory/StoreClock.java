// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.time.Timer;

/** The store's clock and the numbers drawn from it. Reading the time is thread-safe, drawing numbers needs the lock. */
final class StoreClock {
    /*
     * The wall clock is read once, when the store is made; from then on the monotonic clock carries the time. So a step
     * of the wall clock neither ends everything at once nor brings back what had ended, and two readings never run
     * backwards. The price: after a step, or after the host slept, the store's time differs from the wall clock by the
     * step, which only matters to Expiry.At.
     */
    private final Timer timer;
    private final long startMicros;
    private final long startNanos;
    private long lastTick;
    private long lastMessage;

    StoreClock(Timer timer) {
        this.timer = timer;
        startMicros = timer.epochMicros();
        startNanos = timer.nanoTime();
    }

    long micros() {
        return startMicros + (timer.nanoTime() - startNanos) / 1_000;
    }

    /** A number for one commit or grant, larger than every earlier one. */
    long tick(long now) {
        lastTick = Math.max(now, lastTick + 1);
        return lastTick;
    }

    /** A number for one message, larger than every earlier one of any queue, so that an id never comes back. */
    long messageNumber(long now) {
        lastMessage = Math.max(now, lastMessage + 1);
        return lastMessage;
    }
}
