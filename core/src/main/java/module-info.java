// SPDX-License-Identifier: Apache-2.0
/** API, SPI and engines of Bellwether. */
@SuppressWarnings("module") // the testkit, built later, drives the engines without the facade
module dev.bellwether.core {
    requires static io.github.resilience4j.circuitbreaker;
    requires static transitive org.jspecify;

    exports dev.bellwether.codec;
    exports dev.bellwether.error;
    exports dev.bellwether.guard;
    exports dev.bellwether.lock;
    exports dev.bellwether.observe;
    exports dev.bellwether.queue;
    exports dev.bellwether.spi;
    exports dev.bellwether.store;
    exports dev.bellwether.time;

    // Hidden from users: the testkit proves the engines by themselves.
    exports dev.bellwether.delivery to
            dev.bellwether.testkit;
    exports dev.bellwether.engine to
            dev.bellwether.testkit;
    exports dev.bellwether.kv to
            dev.bellwether.testkit;
    exports dev.bellwether.lease to
            dev.bellwether.testkit;

    uses dev.bellwether.codec.CodecProvider;
}
