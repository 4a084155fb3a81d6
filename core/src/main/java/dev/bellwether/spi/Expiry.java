// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import dev.bellwether.time.Durations;
import java.time.Duration;
import java.time.Instant;

/** When an entry ends, by the store's clock. Sub-millisecond parts are rounded up; what has passed is absent at once. */
public sealed interface Expiry {
    Expiry NEVER = new Never();
    Expiry KEEP = new Keep();

    /** Zero or more from now; more than 142,000 years count as for ever. */
    static Expiry after(Duration length) {
        return new After(length);
    }

    record Never() implements Expiry {}

    /** As it stands; never, where nothing stands. */
    record Keep() implements Expiry {}

    record After(Duration length) implements Expiry {
        public After {
            Durations.notNegative("the time to live", length);
        }
    }

    record At(Instant moment) implements Expiry {}
}
