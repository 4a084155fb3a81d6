// SPDX-License-Identifier: Apache-2.0
/** KvBackend on Redis and Valkey by Lettuce. */
module dev.bellwether.redis {
    requires transitive dev.bellwether.core;
    requires static transitive org.jspecify;
    requires transitive lettuce.core;
    requires io.netty.common;
    requires io.netty.transport;

    exports dev.bellwether.redis;
}
