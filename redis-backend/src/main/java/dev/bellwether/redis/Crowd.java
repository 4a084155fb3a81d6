// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.spi.Place;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The places whose requests better take the long form at once. Bounded, because it remembers hashes: two places that
 * share one cost each other a few bytes, never an answer.
 */
final class Crowd {
    private static final int SLOTS = 8_192;

    private final AtomicIntegerArray slots = new AtomicIntegerArray(SLOTS);

    boolean contains(Place place) {
        return slots.get(slot(place)) != 0;
    }

    void add(Place place) {
        slots.set(slot(place), 1);
    }

    void remove(Place place) {
        slots.set(slot(place), 0);
    }

    private static int slot(Place place) {
        int hash = place.hashCode() * 0x9E3779B9;
        return hash >>> 19;
    }
}
