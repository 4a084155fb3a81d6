// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.testkit.ManualTime;
import java.time.Duration;

/** Everything the backend does happens inside {@link #advance}, so nothing is worth waiting for. */
record ManualFixture(KvBackend backend, ManualTime time) implements BackendUnderTest {
    @Override
    public void advance(Duration length) {
        time.advance(length);
    }

    @Override
    public boolean exactClock() {
        return true;
    }

    @Override
    public Duration shortTime() {
        return Duration.ofSeconds(1);
    }

    @Override
    public Duration patience() {
        return Duration.ofMillis(20);
    }

    @Override
    public void close() {
        backend.close();
    }
}
