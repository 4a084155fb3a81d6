// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Version;
import dev.bellwether.testkit.redis.RedisServer;
import dev.bellwether.testkit.redis.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the hot paths cost the server, exactly. */
class RedisCostIT {
    private static final Set<String> WRITES =
            Set.of("set", "del", "hset", "hdel", "zadd", "zrem", "pexpire", "zpopmin");

    private static RedisServer server;
    private static RespClient outside;
    private static RedisBackend backend;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        outside = server.client();
        backend = RedisBackend.connect(server.uri());
    }

    @AfterAll
    static void stop() {
        backend.close();
        outside.close();
        server.close();
    }

    @BeforeEach
    void zero() {
        outside.call("CONFIG", "RESETSTAT");
    }

    /** Calls by command, without those that keep the connections alive and those of this test. */
    private static Map<String, Long> calls() {
        Map<String, Long> calls = new HashMap<>();
        Doctor.fields(outside.text("INFO", "commandstats")).forEach((name, stats) -> {
            String command = name.replace("cmdstat_", "");
            long number = Long.parseLong(stats.replaceAll("calls=(\\d+),.*", "$1"));
            if (!command.startsWith("config") && !command.startsWith("info") && !command.equals("time")) {
                calls.put(command, number);
            }
        });
        return calls;
    }

    private static long writes(Map<String, Long> calls) {
        return calls.entrySet().stream()
                .filter(call -> WRITES.contains(call.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    @Test
    void anUncontendedLockIsTwoCommandsThreeWritesAnd320Bytes() {
        int pairs = 100;
        lockAndUnlock("hello");
        outside.call("CONFIG", "RESETSTAT");
        for (int i = 0; i < pairs; i++) lockAndUnlock("hello");
        Map<String, Long> calls = calls();
        long bytes = Long.parseLong(Doctor.fields(outside.text("INFO", "stats")).get("total_net_input_bytes"));
        assertThat(calls.get("evalsha")).isEqualTo(2L * pairs);
        assertThat(writes(calls)).isEqualTo(3L * pairs);
        assertThat(bytes / pairs).isLessThanOrEqualTo(320);
    }

    private static void lockAndUnlock(String name) {
        Owner owner = Redis.owner();
        LeaseRequest wish = Redis.wish(name, owner)
                .withTokens(33)
                .withLine(new LeaseRequest.Line(Duration.ofSeconds(5), Duration.ofSeconds(2), Duration.ofSeconds(1)));
        Redis.grant(backend, wish);
        Redis.get(backend.commit(Commit.of(new LeaseMutation.Release(Redis.lease(name), owner, Quiet.NONE))));
    }

    @Test
    void aHitIsOneGet() {
        Redis.commit(backend, new EntryMutation.Put(Redis.key("hit"), Redis.bytes("v"), Expiry.NEVER));
        outside.call("CONFIG", "RESETSTAT");
        Redis.readArmed(backend, Redis.key("hit"));
        assertThat(calls()).containsExactlyInAnyOrderEntriesOf(Map.of("get", 1L));
    }

    @Test
    void aLeaderSendsTwoCommandsBeforeAndOneAfter() {
        Owner owner = Redis.owner();
        var key = Redis.key("leader");
        Redis.readArmed(backend, key);
        LeaseRequest wish = Redis.wish("leader", owner)
                .withRetain(Duration.ZERO)
                .withUnless(new LeaseRequest.Unless(key, Version.NONE));
        Redis.grant(backend, wish);
        Redis.get(backend.commit(Commit.of(
                new EntryMutation.Put(key, Redis.bytes("v"), Expiry.after(Duration.ofMinutes(1))),
                new LeaseMutation.Release(Redis.lease("leader"), owner, Quiet.NONE))));
        Map<String, Long> calls = calls();
        assertThat(calls.get("evalsha")).isEqualTo(2);
        assertThat(calls.get("get"))
                .as("the hit, and each script looks at the holds")
                .isEqualTo(3);
        assertThat(writes(calls)).isEqualTo(3);
    }

    @Test
    void aBatchOfMessagesCostsThreeCommandsWhateverItsSize() {
        List<Message> batch = new ArrayList<>();
        for (int i = 0; i < 100; i++) batch.add(Message.of(Redis.bytes("m" + i)));
        Redis.committed(backend, new QueueMutation.Enqueue(Redis.queue("batch"), batch, Long.MAX_VALUE));
        Claim claim = Redis.claim(backend, "batch", 100);
        assertThat(claim.handouts()).hasSize(100);
        Redis.claim(
                backend,
                "batch",
                100,
                claim.handouts().stream()
                        .map(handout -> new QueueMutation.Ack(handout.receipt()))
                        .toArray(QueueMutation.Settlement[]::new));
        Map<String, Long> calls = calls();
        assertThat(calls.get("evalsha")).isEqualTo(3);
        assertThat(writes(calls)).as("payloads do not travel one by one").isLessThan(350);
    }

    @Test
    void idleConnectionsAskNoMoreThanTwiceASecondEach() {
        assertThat(calls().getOrDefault("evalsha", 0L)).isZero();
    }
}
