// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.time.Timer;
import java.time.Duration;

/** Another timer's clocks; its tasks never run. */
record TimerWithoutTasks(Timer clocks) implements Timer {
    @Override
    public long nanoTime() {
        return clocks.nanoTime();
    }

    @Override
    public long epochMicros() {
        return clocks.epochMicros();
    }

    @Override
    public Scheduled after(Duration delay, Runnable task) {
        return () -> true;
    }
}
