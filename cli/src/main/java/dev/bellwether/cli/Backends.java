// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import dev.bellwether.memory.MemoryBackend;
import dev.bellwether.redis.RedisBackend;
import dev.bellwether.spi.KvBackend;

/** Backends by URI. */
final class Backends {
    private Backends() {}

    static KvBackend open(String uri) {
        if (uri.equals("memory:") || uri.equals("memory")) return MemoryBackend.create();
        if (uri.startsWith("redis")) return RedisBackend.connect(uri);
        throw new IllegalArgumentException(
                "there is no backend '" + uri + "'; use memory:, redis://host:port or rediss://host:port");
    }
}
