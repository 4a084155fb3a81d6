// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

/** X. */
public final class RedisBackend {
    private RedisBackend() {}
}
