// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.Quiet;
import dev.bellwether.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RedisBackendIT {
    private static RedisServer server;
    private static RedisBackend backend;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        backend = RedisBackend.connect(server.uri());
    }

    @AfterAll
    static void stop() {
        backend.close();
        server.close();
    }

    @Test
    void whatIsPutIsRead() {
        var done = Redis.committed(backend, new EntryMutation.Put(Redis.key("a"), Redis.bytes("1"), Expiry.NEVER));
        KvEntry.Present found = (KvEntry.Present) Redis.read(backend, Redis.key("a"));
        assertThat(found.value()).isEqualTo(Redis.bytes("1"));
        assertThat(found.version()).isEqualTo(done.version());
        assertThat(found.expiresAtMillis()).isEmpty();
    }

    @Test
    void countersAreExactAtBothEndsOf64Bits() {
        long[][] cases = {
            {1, 2},
            {Long.MAX_VALUE - 1, 1},
            {-1, 1},
            {-1, -1},
            {Long.MIN_VALUE + 1, -1},
            {1L << 53, 1},
            {0xffffffffL, 1},
            {-4294967296L, -1},
            {Long.MIN_VALUE, Long.MAX_VALUE}
        };
        for (long[] pair : cases) {
            var key = Redis.key("counter");
            Redis.commit(backend, new EntryMutation.Put(key, Counter.encode(pair[0]), Expiry.NEVER));
            var done = Redis.committed(
                    backend,
                    new EntryMutation.Count(
                            key, EntryMutation.Op.ADD, pair[1], EntryMutation.Overflow.FAIL, Expiry.KEEP));
            assertThat(done.outcomes()).containsExactly(new Outcome.Counted(pair[0] + pair[1]));
        }
    }

    @Test
    void aLeaseIsGrantedOnceAndReleased() {
        Owner one = Redis.owner();
        Owner other = Redis.owner();
        var granted = Redis.grant(backend, Redis.wish("lock", one));
        assertThat(Redis.get(backend.acquire(Redis.wish("lock", other)))).isInstanceOf(Acquisition.Busy.class);
        Redis.get(backend.commit(Commit.of(new LeaseMutation.Release(Redis.lease("lock"), one, Quiet.NONE))));
        var next = Redis.grant(backend, Redis.wish("lock", other));
        assertThat(next.tokens().first()).isGreaterThan(granted.tokens().last());
        assertThat(Redis.get(backend.acquire(Redis.wish("lock", one)))).isNotInstanceOf(Acquisition.Granted.class);
    }

    @Test
    void aSpentPatienceHandsTheLeaseToTheHeadOfTheLine() {
        Owner holder = Redis.owner();
        Owner waiter = Redis.owner();
        Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        var listening = backend.listen(hints::add);
        try (listening) {
            Redis.grant(backend, Redis.wish("line", holder));
            LeaseRequest waiting = Redis.wish("line", waiter)
                    .withLine(new LeaseRequest.Line(Duration.ofSeconds(5), Duration.ofSeconds(2), Duration.ZERO));
            var busy = (Acquisition.Busy) Redis.get(backend.acquire(waiting));
            assertThat(busy.place()).isZero();
            Redis.get(backend.commit(Commit.of(new LeaseMutation.Release(Redis.lease("line"), holder, Quiet.NONE))));
            Awaitility.await()
                    .atMost(5, TimeUnit.SECONDS)
                    .untilAsserted(() -> assertThat(hints).contains(new Hint.Passed(Redis.lease("line"), waiter)));
            var state = Redis.get(backend.inspect(new Inspection.Holding(Redis.lease("line"))));
            assertThat(state.holds()).hasSize(1);
            assertThat(state.holds().get(0).confirmed()).isFalse();
            assertThat(Redis.get(backend.acquire(waiting))).isInstanceOf(Acquisition.Granted.class);
        }
    }

    @Test
    void aMessageIsDeliveredUntilAcknowledged() {
        Bytes payload = Redis.bytes("hello");
        Redis.committed(
                backend, new QueueMutation.Enqueue(Redis.queue("q"), List.of(Message.of(payload)), Long.MAX_VALUE));
        Claim claim = Redis.claim(backend, "q", 10);
        assertThat(claim.handouts()).hasSize(1);
        assertThat(claim.handouts().get(0).payload()).isEqualTo(payload);
        Claim done = Redis.claim(
                backend, "q", 10, new QueueMutation.Ack(claim.handouts().get(0).receipt()));
        assertThat(done.settled()).containsExactly(true);
        assertThat(done.handouts()).isEmpty();
        assertThat(done.nextDue()).isEqualTo(Claim.NOTHING_DUE);
    }

    @Test
    void anArmedReadIsTold() {
        Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        var listening = backend.listen(hints::add);
        try (listening) {
            Redis.readArmed(backend, Redis.key("watched"));
            Redis.commit(backend, new EntryMutation.Put(Redis.key("watched"), Redis.bytes("x"), Expiry.NEVER));
            Awaitility.await()
                    .atMost(5, TimeUnit.SECONDS)
                    .untilAsserted(() -> assertThat(hints).contains(new Hint.Changed(Redis.key("watched"))));
        }
    }

    @Test
    void aFillIsStoredOnlyByTheHolder() {
        Owner leader = Redis.owner();
        var key = Redis.key("memo");
        LeaseRequest wish = Redis.wish("memo", leader)
                .withRetain(Duration.ZERO)
                .withUnless(new LeaseRequest.Unless(key, dev.bellwether.spi.Version.NONE));
        Redis.grant(backend, wish);
        Commit fill = Commit.of(
                new EntryMutation.Put(key, Redis.bytes("v"), Expiry.after(Duration.ofMinutes(1))),
                new LeaseMutation.Release(Redis.lease("memo"), leader, Quiet.NONE));
        assertThat(Redis.get(backend.commit(fill))).isInstanceOf(CommitReply.Committed.class);
        assertThat(Redis.get(backend.commit(fill))).isInstanceOf(CommitReply.Conflict.class);
        assertThat(Redis.get(backend.acquire(wish))).isInstanceOf(Acquisition.Found.class);
    }

    @org.junit.jupiter.api.Test
    void aClusterIsRefusedInWordsInsteadOfServedInPart() {
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> RedisBackend.connect("redis-cluster://127.0.0.1:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not a cluster");
    }
}
