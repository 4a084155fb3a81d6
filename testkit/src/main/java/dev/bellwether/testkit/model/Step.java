// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import java.util.List;

/** What one request made of a state: the next state, the reply and the hints. */
public record Step<R>(StoreState after, R reply, List<Told> hints) {
    public Step {
        hints = List.copyOf(hints);
    }
}
