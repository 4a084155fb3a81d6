// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.spi.StoreTime;
import dev.bellwether.time.Timer;
import io.lettuce.core.protocol.CommandType;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What there is to know, and to warn of, about the server. Features are probed by use, never guessed from a version. */
final class Doctor {
    private final Link link;
    private final StoreClock clock;
    private final Timer timer;
    private final Settings settings;

    Doctor(Link link, StoreClock clock, Timer timer, Settings settings) {
        this.link = link;
        this.clock = clock;
        this.timer = timer;
        this.settings = settings;
    }

    CompletionStage<Map<String, String>> look() {
        CompletionStage<String> info = ask(Call.of(CommandType.INFO));
        CompletionStage<String> script =
                ask(Call.of(CommandType.EVAL, DirectLink.ascii("return redis.call('TIME')[1]"), DirectLink.ascii("0")));
        return info.thenCombine(script, this::facts).handle(Runner.mapped("a look at the server"));
    }

    /** The reply, or what stood in the way in brackets. */
    private CompletionStage<String> ask(Call call) {
        CompletionStage<String> answer = call.reply()
                .handle((reply, failure) ->
                        failure == null ? DirectLink.text(reply) : "(" + failure.getMessage() + ")");
        link.sendTo(0, call);
        return answer;
    }

    private Map<String, String> facts(String info, String script) {
        Map<String, String> fields = fields(info);
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("kind", fields.getOrDefault("server_name", "redis"));
        facts.put("version", fields.getOrDefault("valkey_version", fields.getOrDefault("redis_version", info)));
        facts.put("mode", fields.getOrDefault("redis_mode", "unknown"));
        facts.put("address", settings.description());
        facts.put("nodes", Integer.toString(link.nodes()));
        facts.put("maxmemory", fields.getOrDefault("maxmemory_human", "unknown"));
        facts.put("maxmemory-policy", fields.getOrDefault("maxmemory_policy", "unknown"));
        facts.put("persistence", persistence(fields));
        facts.put("replicas", fields.getOrDefault("connected_slaves", "unknown"));
        facts.put("clock offset", offset());
        facts.put("scripts", script.startsWith("(") ? script : "ok");
        facts.put("hints", link.shortcomings().isEmpty() ? "pushed" : link.shortcomings());
        facts.put("warnings", warning(fields));
        return facts;
    }

    private static String persistence(Map<String, String> fields) {
        boolean log = "1".equals(fields.get("aof_enabled"));
        String saved = fields.getOrDefault("rdb_last_save_time", "0");
        return log ? "append-only file" : "snapshots at most, the last at " + saved + " s since 1970";
    }

    private String offset() {
        StoreTime store = clock.now();
        return (store.micros() - timer.epochMicros()) / 1_000 + " ms (+- " + (store.error() / 1_000 + 1) + ")";
    }

    /** Empty if nothing is to be said. */
    static String warning(Map<String, String> fields) {
        String policy = fields.getOrDefault("maxmemory_policy", "noeviction");
        boolean bounded = !fields.getOrDefault("maxmemory", "0").equals("0");
        StringBuilder warning = new StringBuilder();
        if (bounded && !policy.equals("noeviction")) {
            warning.append("maxmemory-policy ")
                    .append(policy)
                    .append(" may evict leases and messages; set noeviction. ");
        }
        if (!fields.getOrDefault("connected_slaves", "0").equals("0")) {
            warning.append("replicas follow asynchronously; a failover may lose the last writes. ");
        }
        return warning.toString().trim();
    }

    static Map<String, String> fields(@Nullable String info) {
        Map<String, String> fields = new HashMap<>();
        for (String line : String.valueOf(info).split("\r?\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0 && !line.startsWith("#")) fields.put(line.substring(0, colon), line.substring(colon + 1));
        }
        return fields;
    }
}
