// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.time.Timer;

/** The store's clock: begins at the wall clock, runs with the monotonic one. */
final class StoreClock {
    private final Timer timer;
    private final long startMicros;
    private final long startNanos;

    StoreClock(Timer timer) {
        this.timer = timer;
        this.startMicros = timer.epochMicros();
        this.startNanos = timer.nanoTime();
    }

    long micros() {
        return startMicros + (timer.nanoTime() - startNanos) / 1_000;
    }
}
