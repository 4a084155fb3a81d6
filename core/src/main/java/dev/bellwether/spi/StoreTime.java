// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** The store's clock in microseconds since 1970: exact when the error is zero, else estimated within it. */
public record StoreTime(long micros, long error) {
    public static StoreTime exact(long micros) {
        return new StoreTime(micros, 0);
    }
}
