// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** A granted range of fencing tokens, first to last inclusive: a holder may hand them on one by one. */
public record Tokens(long first, long last) {
    public Tokens {
        if (first < 1 || last < first) throw new IllegalArgumentException("tokens " + first + " to " + last);
    }

    public boolean contains(long token) {
        return first <= token && token <= last;
    }
}
