// SPDX-License-Identifier: Apache-2.0
/** The whole backend SPI within one JVM. */
module dev.bellwether.memory {
    requires transitive dev.bellwether.core;
    requires static org.jspecify;

    exports dev.bellwether.memory;
}
