// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.testkit.ManualTime;
import java.time.Duration;
import java.util.function.Function;

/** A fresh backend, which may share its server with others, and the way to let time pass on it. */
public interface BackendUnderTest extends AutoCloseable {
    KvBackend backend();

    /**
     * Returns when this much has passed by the store's clock: exactly this much where {@link #exactClock()}, else at
     * least. Work of the backend that fell due meanwhile has run.
     */
    void advance(Duration length);

    /** Whether the store's clock stands still but for {@link #advance}. */
    boolean exactClock();

    /**
     * The unit of every term that a test lets run out: a whole number of milliseconds, 20 or more. Without an exact
     * clock a test waits for it in earnest, and expects three requests to be served within it: a tenth of a second is
     * sensible, more on a slow machine.
     */
    Duration shortTime();

    /** How long, by the wall, a test waits for a reply or a hint before it fails. */
    Duration patience();

    /** Closes the backend and what the fixture opened for it. */
    @Override
    void close();

    /** A backend whose only clock and executor is the given time. */
    static BackendUnderTest onManualTime(Function<? super ManualTime, ? extends KvBackend> factory) {
        ManualTime time = new ManualTime();
        return new ManualFixture(factory.apply(time), time);
    }

    /** A backend that lives on the clock of a server. */
    static BackendUnderTest onRealTime(KvBackend backend, Duration shortTime) {
        return new RealFixture(backend, shortTime);
    }
}
