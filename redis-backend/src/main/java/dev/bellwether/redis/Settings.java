// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a backend was built with.
 *
 * @param inbox the channel on which this backend is woken
 */
record Settings(List<RedisURI> uris, boolean cluster, Duration commandTimeout, Duration connectTimeout, String inbox) {
    Settings {
        uris = List.copyOf(uris);
    }

    /** Where, without any password. */
    String description() {
        RedisURI first = uris.get(0);
        if (!first.getSentinels().isEmpty()) {
            return first.getSentinels().stream()
                    .map(sentinel -> sentinel.getHost() + ":" + sentinel.getPort())
                    .collect(Collectors.joining(",", "redis-sentinel://", "#" + first.getSentinelMasterId()));
        }
        return uris.stream()
                .map(uri -> uri.getHost() + ":" + uri.getPort())
                .collect(Collectors.joining(",", cluster ? "redis-cluster://" : "redis://", ""));
    }
}
