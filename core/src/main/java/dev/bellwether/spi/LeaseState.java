// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.time.Duration;
import java.util.List;

/** One lease as it stands: who holds it, how many wait, and for how long it stays quiet. */
public record LeaseState(LeaseName lease, List<Hold> holds, int waiting, Duration quiet, long lastToken) {
    public LeaseState {
        holds = List.copyOf(holds);
    }

    /** One holder; {@code confirmed} is false while a lease handed to the head of the line waits to be taken up. */
    public record Hold(Owner owner, Tokens tokens, int weight, Duration held, Duration remaining, boolean confirmed) {}
}
