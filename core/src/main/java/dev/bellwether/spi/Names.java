// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** The one place where names are checked. */
final class Names {
    /** Longer names are almost always a value passed as a key; Deno KV has the same limit. */
    static final int MAX_BYTES = 2_048;

    private Names() {}

    static void check(String what, Bytes name) {
        if (name.isEmpty())
            throw new IllegalArgumentException("the " + what + " name is empty; give it at least one byte");
        if (name.length() > MAX_BYTES) {
            throw new IllegalArgumentException("the " + what + " name has " + name.length() + " bytes, more than "
                    + MAX_BYTES + "; hash what is too long, or shorten it: " + name);
        }
    }
}
