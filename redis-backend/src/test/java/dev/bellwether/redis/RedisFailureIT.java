// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.RejectedException;
import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.Quiet;
import dev.bellwether.testkit.net.FaultProxy;
import dev.bellwether.testkit.redis.RedisServer;
import dev.bellwether.testkit.redis.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What only a network, a full store or a dying server can break. */
class RedisFailureIT {
    private RedisServer server;
    private RespClient outside;
    private FaultProxy network;
    private RedisBackend backend;
    private final Queue<Hint> hints = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void start() {
        server = RedisServer.start();
        outside = server.client();
        network = FaultProxy.to(server.port());
        backend = RedisBackend.builder()
                .uri("redis://127.0.0.1:" + network.port())
                .commandTimeout(Duration.ofMillis(500))
                .build();
        var unused = backend.listen(hints::add);
    }

    @AfterEach
    void stop() {
        backend.close();
        network.close();
        outside.close();
        server.close();
    }

    private static EntryMutation.Count add(String key) {
        return new EntryMutation.Count(
                Redis.key(key), EntryMutation.Op.ADD, 1, EntryMutation.Overflow.FAIL, Expiry.NEVER);
    }

    private static long counter(RedisBackend backend, String key) {
        KvEntry entry = Redis.read(backend, Redis.key(key));
        return entry instanceof KvEntry.Present present
                ? Counter.decode(present.value()).orElseThrow()
                : 0;
    }

    private void awaitService() {
        Awaitility.await()
                .atMost(20, TimeUnit.SECONDS)
                .ignoreExceptions()
                .untilAsserted(() -> Redis.read(backend, Redis.key("service")));
    }

    private void awaitHint(Class<? extends Hint> type) {
        Awaitility.await()
                .atMost(20, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(hints).hasAtLeastOneElementOfType(type));
    }

    @Test
    void aLostReplyLeavesTheOutcomeUnknownAndTheSameRequestSettlesIt() {
        Commit commit = new Commit(Redis.id(), List.of(), List.of(add("lost")));
        network.set(FaultProxy.Faults.silentReplies());
        assertThatThrownBy(() -> Redis.get(backend.commit(commit))).isInstanceOf(OutcomeUnknownException.class);
        network.heal();
        awaitService();
        var again = (CommitReply.Committed) Redis.get(backend.commit(commit));
        assertThat(again.outcomes()).containsExactly(new Outcome.Counted(1));
        assertThat(counter(backend, "lost")).isEqualTo(1);
    }

    @Test
    void whatWasInFlightWhenTheServerHungUpIsNeverSentTwice() {
        for (int i = 0; i < 20; i++) {
            network.set(FaultProxy.Faults.silentReplies());
            var inFlight = backend.commit(new Commit(null, List.of(), List.of(add("twice" + i))));
            var second = backend.commit(new Commit(null, List.of(), List.of(add("twice" + i))));
            String key = "bw:v{twice" + i + "}";
            Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> outside.number("EXISTS", key) == 1);
            network.heal();
            if (i % 2 == 0) network.hangUp();
            else network.reset();
            assertThatThrownBy(() -> Redis.get(inFlight)).isInstanceOf(OutcomeUnknownException.class);
            assertThatThrownBy(() -> Redis.get(second)).isInstanceOf(OutcomeUnknownException.class);
            awaitService();
            assertThat(counter(backend, "twice" + i)).isBetween(1L, 2L);
        }
    }

    @Test
    void aSilentPartitionIsNoticedAndEndsInDoubt() {
        network.set(FaultProxy.Faults.frozen());
        awaitHint(Hint.Doubt.class);
        network.heal();
        awaitService();
    }

    @Test
    void afterAReconnectChangesAreToldAgain() {
        network.reset();
        awaitHint(Hint.Doubt.class);
        awaitService();
        Awaitility.await().atMost(20, TimeUnit.SECONDS).ignoreExceptions().untilAsserted(() -> {
            Redis.readArmed(backend, Redis.key("told"));
            outside.call("SET", "bw:v{told}", "x");
            Awaitility.await()
                    .atMost(1, TimeUnit.SECONDS)
                    .untilAsserted(() -> assertThat(hints).contains(new Hint.Changed(Redis.key("told"))));
        });
    }

    @Test
    void withoutAServerNothingHappensAndItSaysSo() {
        server.kill();
        Awaitility.await()
                .atMost(20, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThatThrownBy(() -> Redis.commit(backend, add("gone")))
                        .isInstanceOf(BackendUnavailableException.class));
        server.restart();
        awaitService();
        assertThat(Redis.committed(backend, add("gone")).outcomes()).containsExactly(new Outcome.Counted(1));
    }

    @Test
    void aFlushOfTheScriptsIsNotSeen() {
        for (int i = 0; i < 50; i++) {
            if (i % 5 == 0) outside.call("SCRIPT", "FLUSH");
            Redis.committed(backend, add("flushed"));
        }
        assertThat(counter(backend, "flushed")).isEqualTo(50);
    }

    @Test
    void aFlushOfTheDatabaseEndsInDoubt() {
        outside.call("FLUSHALL");
        awaitHint(Hint.Doubt.class);
    }

    @Test
    void underKilledConnectionsEveryRequestSentUntilItIsAnsweredCountsOnce() {
        int requests = 200;
        for (int i = 0; i < requests; i++) {
            if (i % 10 == 0) outside.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            if (i % 25 == 0) outside.call("CLIENT", "KILL", "TYPE", "pubsub");
            sendUntilAnswered(new Commit(Redis.id(), List.of(), List.of(add("killed"))));
        }
        assertThat(counter(backend, "killed")).isEqualTo(requests);
    }

    private void sendUntilAnswered(Commit commit) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(20, TimeUnit.SECONDS)
                .until(() -> {
                    try {
                        return Redis.get(backend.commit(commit)) instanceof CommitReply.Committed;
                    } catch (BackendUnavailableException | OutcomeUnknownException sendAgain) {
                        return false;
                    }
                });
    }

    @Test
    void inAFullStoreWhatFreesWorksAndWhatAddsIsRefusedWhole() {
        Owner holder = Redis.owner();
        Redis.grant(backend, Redis.wish("full", holder));
        Redis.grant(backend, Redis.wish("full2", holder));
        Redis.committed(
                backend,
                new QueueMutation.Enqueue(
                        Redis.queue("full"),
                        List.of(
                                Message.of(Redis.bytes("1")),
                                Message.of(Redis.bytes("2")),
                                Message.of(Redis.bytes("3"))),
                        Long.MAX_VALUE));
        Claim claim = Redis.claim(backend, "full", 2);
        outside.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
        outside.call("CONFIG", "SET", "maxmemory", "1");
        Bytes value = Redis.bytes("v");
        var put = new EntryMutation.Put(Redis.key("full"), value, Expiry.NEVER);
        assertThatThrownBy(() -> Redis.commit(backend, put)).isInstanceOf(RejectedException.class);
        assertThatThrownBy(() -> Redis.get(backend.acquire(Redis.wish("other", Redis.owner()))))
                .isInstanceOf(RejectedException.class);
        assertThatThrownBy(() -> Redis.commit(
                        backend,
                        new QueueMutation.Enqueue(Redis.queue("full"), List.of(Message.of(value)), Long.MAX_VALUE)))
                .isInstanceOf(RejectedException.class);
        var mixed = Commit.of(put, new LeaseMutation.Release(Redis.lease("full"), holder, Quiet.NONE));
        assertThatThrownBy(() -> Redis.get(backend.commit(mixed))).isInstanceOf(RejectedException.class);

        var renew = new LeaseMutation.Renew(Redis.lease("full"), holder, Duration.ofSeconds(60), null);
        assertThat(Redis.get(backend.commit(Commit.of(renew)))).isInstanceOf(CommitReply.Committed.class);
        var release = new LeaseMutation.Release(Redis.lease("full"), holder, Quiet.NONE);
        assertThat(Redis.get(backend.commit(Commit.of(release)))).isInstanceOf(CommitReply.Committed.class);
        var quiet = new LeaseMutation.Release(
                Redis.lease("full2"), holder, new Quiet(Duration.ofSeconds(30), Redis.bytes("note")));
        assertThat(Redis.get(backend.commit(Commit.of(quiet)))).isInstanceOf(CommitReply.Committed.class);
        Claim settled = Redis.claim(
                backend,
                "full",
                5,
                new QueueMutation.Ack(claim.handouts().get(0).receipt()),
                new QueueMutation.Retry(claim.handouts().get(1).receipt(), Duration.ZERO, true));
        assertThat(settled.settled()).containsExactly(true, true);
        assertThat(settled.handouts()).hasSize(2);
        var waiting = Redis.wish("full2", Redis.owner())
                .withEvenIfQuiet(true)
                .withLine(new LeaseRequest.Line(Duration.ofSeconds(5), Duration.ofSeconds(2), Duration.ZERO));
        assertThatThrownBy(() -> Redis.get(backend.acquire(waiting))).isInstanceOf(RejectedException.class);

        outside.call("CONFIG", "SET", "maxmemory", "0");
        assertThat(Redis.read(backend, Redis.key("full"))).isInstanceOf(KvEntry.Absent.class);
        assertThat(Redis.get(backend.acquire(Redis.wish("full", Redis.owner()))))
                .isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    void aForeignValueUnderOurKeyChangesNothing() {
        outside.call("LPUSH", "bw:x{wrong}", "x");
        var both = new Commit(
                Redis.id(),
                List.of(),
                List.of(
                        new EntryMutation.Put(Redis.key("wrong"), Redis.bytes("v"), Expiry.NEVER),
                        new LeaseMutation.Leave(Redis.lease("wrong"), Redis.owner())));
        assertThatThrownBy(() -> Redis.get(backend.commit(both)))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThat(Redis.read(backend, Redis.key("wrong"))).isInstanceOf(KvEntry.Absent.class);
    }

    @Test
    void aServerThatBecameAReplicaIsLeft() {
        outside.call("REPLICAOF", "127.0.0.1", "1");
        assertThatThrownBy(() -> Redis.commit(backend, add("replica"))).isInstanceOf(BackendUnavailableException.class);
        outside.call("REPLICAOF", "NO", "ONE");
        sendUntilAnswered(new Commit(Redis.id(), List.of(), List.of(add("replica"))));
        assertThat(counter(backend, "replica")).isEqualTo(1);
    }

    @Test
    void missingRightsAreToldAndHintsAreNotPromised() {
        outside.call("ACL", "SETUSER", "poor", "on", ">secret", "~bw:*", "+@all", "-client|tracking", "resetchannels");
        try (var poor = RedisBackend.connect("redis://poor:secret@127.0.0.1:" + server.port())) {
            assertThat(poor.capabilities().can(Power.PUSHED_HINTS)).isFalse();
            assertThat(Redis.committed(poor, add("poor")).outcomes()).containsExactly(new Outcome.Counted(1));
        }
        outside.call("ACL", "SETUSER", "blind", "on", ">secret", "~other:*", "&*", "+@all");
        try (var blind = RedisBackend.connect("redis://blind:secret@127.0.0.1:" + server.port())) {
            assertThatThrownBy(() -> Redis.commit(blind, add("blind")))
                    .isInstanceOf(RejectedException.class)
                    .hasMessageContaining("NOPERM");
        }
    }

    @Test
    void aConnectionThatCannotBeMadeSaysWhyAndWhatToDo() {
        int port = server.port();
        server.kill();
        assertThatThrownBy(() -> RedisBackend.connect("redis://127.0.0.1:" + port))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("127.0.0.1:" + port)
                .hasMessageContaining("start a server");
        assertThatThrownBy(() -> RedisBackend.connect("rubbish")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closingFailsWhatComesAfterwardsAndEndsInFlightInDoubt() {
        network.set(FaultProxy.Faults.frozen());
        var inFlight = backend.commit(new Commit(null, List.of(), List.of(add("closing"))));
        backend.close();
        assertThatThrownBy(() -> Redis.get(inFlight)).isInstanceOf(BellwetherException.class);
        assertThatThrownBy(() -> Redis.commit(backend, add("closing"))).isInstanceOf(ClosedException.class);
    }

    @Test
    void threadsAndConnectionsReturnToTheirBaseline() {
        backend.close();
        for (int i = 0; i < 100; i++) openAndClose();
        Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> ours() == 0);
        Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> clients() == 1);
    }

    private void openAndClose() {
        try (var other = RedisBackend.connect(server.uri())) {
            Redis.read(other, Redis.key("cycle"));
        }
    }

    /** Threads of the backend and its driver; the reader of the test server's log is neither. */
    private static long ours() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("bellwether-redis") || name.startsWith("lettuce"))
                .filter(name -> !name.startsWith("bellwether-redis-log"))
                .count();
    }

    private long clients() {
        return Long.parseLong(Doctor.fields(outside.text("INFO", "clients")).get("connected_clients"));
    }

    @Test
    void nothingStaysBehindButWhatExpires() {
        Owner owner = Redis.owner();
        var line = new LeaseRequest.Line(Duration.ofSeconds(5), Duration.ofSeconds(2), Duration.ZERO);
        Redis.grant(backend, Redis.wish("left", owner));
        Redis.get(backend.acquire(Redis.wish("left", Redis.owner()).withLine(line)));
        Redis.get(backend.commit(Commit.of(new LeaseMutation.Release(Redis.lease("left"), owner, Quiet.NONE))));
        var message = new Message(
                Redis.bytes("m"),
                Duration.ZERO,
                3,
                Redis.bytes("group"),
                new Message.Dedup(Redis.bytes("key"), Duration.ofMinutes(1), Message.Dedup.Mode.IGNORE),
                new Message.CrashPolicy(1, Duration.ofSeconds(1)));
        Redis.committed(backend, new QueueMutation.Enqueue(Redis.queue("left"), List.of(message), 10));
        Claim claim = Redis.claim(backend, "left", 1);
        Redis.claim(
                backend,
                "left",
                1,
                new QueueMutation.Ack(claim.handouts().get(0).receipt()));
        List<?> keys = (List<?>) Objects.requireNonNull(outside.call("KEYS", "*"));
        assertThat(keys).isNotEmpty();
        for (Object key : keys) {
            assertThat(outside.number("PTTL", (String) key))
                    .as("the life of " + key)
                    .isPositive();
        }
    }
}
