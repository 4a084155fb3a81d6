// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

record RealFixture(KvBackend backend, Duration shortTime) implements BackendUnderTest {
    /** Clocks whose rates differ by one percent, and a millisecond lost at each end to rounding. */
    private static Duration generous(Duration length) {
        return length.plus(length.dividedBy(100)).plusMillis(2);
    }

    @Override
    public void advance(Duration length) {
        if (length.isZero()) return;
        Deadline deadline = Deadline.after(Timer.system(), generous(length));
        while (!deadline.isPast()) {
            CompletableFuture<Boolean> rung = new CompletableFuture<>();
            Timer.Scheduled unused = Timer.system().after(deadline.remaining(), () -> rung.complete(true));
            boolean passed = rung.join();
            if (!passed) throw new IllegalStateException("the timer rang for nothing");
        }
    }

    @Override
    public boolean exactClock() {
        return false;
    }

    @Override
    public Duration patience() {
        return Duration.ofSeconds(10);
    }

    @Override
    public void close() {
        backend.close();
    }
}
