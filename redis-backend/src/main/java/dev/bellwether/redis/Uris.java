// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import io.lettuce.core.RedisURI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Understands where the store is. */
final class Uris {
    private static final String CLUSTER = "redis-cluster://";
    private static final String CLUSTER_TLS = "rediss-cluster://";

    private Uris() {}

    static Settings settings(
            String uri, Duration commandTimeout, Duration connectTimeout, @Nullable String clientName) {
        boolean cluster = uri.startsWith(CLUSTER) || uri.startsWith(CLUSTER_TLS);
        List<RedisURI> uris = cluster ? seeds(uri) : List.of(parse(uri));
        for (RedisURI each : uris) {
            each.setTimeout(connectTimeout);
            if (clientName != null) each.setClientName(clientName);
        }
        return new Settings(uris, cluster, commandTimeout, connectTimeout, inbox());
    }

    private static String inbox() {
        return "bw:w:" + String.format("%016x", new SecureRandom().nextLong());
    }

    /** One URI for each of the hosts, with the same credentials. */
    private static List<RedisURI> seeds(String uri) {
        boolean tls = uri.startsWith(CLUSTER_TLS);
        String rest = uri.substring(tls ? CLUSTER_TLS.length() : CLUSTER.length());
        int at = rest.lastIndexOf('@');
        String credentials = rest.substring(0, at + 1);
        List<RedisURI> seeds = new ArrayList<>();
        for (String host : rest.substring(at + 1).split(",", -1)) {
            seeds.add(parse((tls ? "rediss://" : "redis://") + credentials + host));
        }
        return seeds;
    }

    private static RedisURI parse(String uri) {
        try {
            return RedisURI.create(uri);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "cannot understand the address (" + e.getMessage() + "); write redis://user:password@host:port,"
                            + " rediss://..., redis-sentinel://host,host#master or redis-cluster://host:port,host:port",
                    e);
        }
    }
}
