// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.util.Set;

/** What a backend can do and how large things may be; constant for its life. */
public record Capabilities(Set<Power> powers, Limits limits) {
    public Capabilities {
        powers = Set.copyOf(powers);
    }

    public boolean can(Power power) {
        return powers.contains(power);
    }
}
