// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.util.List;

/** What a query found. {@code more} tells that a range was cut by its limit. */
public record Reading(List<KvEntry> entries, boolean more, StoreTime now) {
    public Reading {
        entries = List.copyOf(entries);
    }
}
