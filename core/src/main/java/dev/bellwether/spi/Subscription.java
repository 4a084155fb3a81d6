// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** Ends the hints; idempotent. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {
    @Override
    void close();
}
