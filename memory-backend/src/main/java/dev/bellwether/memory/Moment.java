// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Hint;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One step of the store: its time, and the hints that are told once the lock is free. Used by one thread. */
final class Moment {
    private final StoreClock clock;
    private final long micros;
    private @Nullable List<Hint> hints;

    Moment(StoreClock clock) {
        this.clock = clock;
        micros = clock.micros();
    }

    long micros() {
        return micros;
    }

    long millis() {
        return Math.floorDiv(micros, 1_000);
    }

    StoreTime time() {
        return StoreTime.exact(micros);
    }

    /** The moment so much later, in microseconds. */
    long after(Duration length) {
        return micros + Durations.millis(length) * 1_000;
    }

    /** Zero once the moment has passed. */
    Duration until(long moment) {
        return length(Math.max(0, moment - micros));
    }

    boolean isPast(long moment) {
        return micros >= moment;
    }

    long tick() {
        return clock.tick(micros);
    }

    long messageNumber() {
        return clock.messageNumber(micros);
    }

    void hint(Hint hint) {
        if (hints == null) hints = new ArrayList<>(2);
        hints.add(hint);
    }

    List<Hint> hints() {
        return hints == null ? List.of() : hints;
    }

    static Duration length(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
