// SPDX-License-Identifier: Apache-2.0
/** API, SPI and engines of Bellwether. */
@SuppressWarnings("module") // the testkit, built later, drives the engines without the facade
module dev.bellwether.core {
    requires static transitive org.jspecify;
    requires com.github.benmanes.caffeine;

    exports dev.bellwether;
    exports dev.bellwether.codec;
    exports dev.bellwether.error;
    exports dev.bellwether.memo;
    exports dev.bellwether.observe;
    exports dev.bellwether.spi;
    exports dev.bellwether.time;
    exports dev.bellwether.engine to
            dev.bellwether.testkit;
    exports dev.bellwether.flight to
            dev.bellwether.testkit;

    uses dev.bellwether.codec.CodecProvider;
}
