// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import static dev.bellwether.memory.Wishes.claim;
import static dev.bellwether.memory.Wishes.enqueue;
import static dev.bellwether.memory.Wishes.get;
import static dev.bellwether.memory.Wishes.key;
import static dev.bellwether.memory.Wishes.lease;
import static dev.bellwether.memory.Wishes.now;
import static dev.bellwether.memory.Wishes.put;
import static dev.bellwether.memory.Wishes.queue;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Reading;
import dev.bellwether.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemoryBackendTest {
    private final ManualTime time = new ManualTime();
    private final MemoryBackend backend = MemoryBackend.on(time);
    private final List<Hint> hints = new ArrayList<>();

    @BeforeEach
    void listen() {
        backend.listen(hints::add);
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void aCommitAcrossPartitionsHappensEntirelyOrNotAtAll_S1() {
        CommitReply first = now(backend.commit(Commit.of(put("a", "1"), put("b", "1"))));
        assertThat(first).isInstanceOf(CommitReply.Committed.class);

        CommitReply second = now(backend.commit(
                new Commit(null, List.of(new Check.Vacant(key("a"), true)), List.of(put("b", "2"), put("c", "2")))));

        assertThat(second)
                .isInstanceOfSatisfying(
                        CommitReply.Conflict.class,
                        conflict -> assertThat(conflict.obstacles())
                                .singleElement()
                                .isInstanceOfSatisfying(
                                        Obstacle.EntryDiffers.class,
                                        differs -> assertThat(differs.value()).contains(Bytes.utf8("1"))));
        assertThat(get(backend, key("b")))
                .isInstanceOfSatisfying(
                        KvEntry.Present.class, b -> assertThat(b.value()).isEqualTo(Bytes.utf8("1")));
        assertThat(get(backend, key("c"))).isInstanceOf(KvEntry.Absent.class);
    }

    @Test
    void anEntryIsAbsentFromItsLastMillisecondOnWhetherOrNotItWasSwept_S3() {
        now(backend.commit(Commit.of(put(key("a"), "1", Expiry.after(Duration.ofMillis(10))))));

        time.advance(Duration.ofNanos(9_999_999));
        assertThat(get(backend, key("a"))).isInstanceOf(KvEntry.Present.class);
        time.advance(Duration.ofNanos(1));
        assertThat(get(backend, key("a"))).isInstanceOf(KvEntry.Absent.class);
    }

    @Test
    void aStepOfTheWallClockNeitherEndsNorBringsBackAnything() {
        now(backend.commit(Commit.of(put(key("a"), "1", Expiry.after(Duration.ofSeconds(10))))));

        time.stepWallClock(Duration.ofDays(1));
        assertThat(get(backend, key("a"))).isInstanceOf(KvEntry.Present.class);
        time.advance(Duration.ofSeconds(10));
        time.stepWallClock(Duration.ofDays(-2));
        assertThat(get(backend, key("a"))).isInstanceOf(KvEntry.Absent.class);
    }

    @Test
    void aRangeIsInByteOrderFromEitherEndAndCutByItsLimit() {
        Partition partition = new Partition(Bytes.utf8("p"));
        now(backend.commit(Commit.of(put("elsewhere", "0"))));
        for (String name : List.of("b", "a", "d", "c")) {
            now(backend.commit(Commit.of(put(new KvKey(partition, Bytes.utf8(name)), name, Expiry.NEVER))));
        }
        KvKey from = new KvKey(partition, Bytes.utf8("a"));
        KvKey to = new KvKey(partition, Bytes.utf8("d"));

        Reading forward = now(backend.read(new Query.Range(from, to, 2, false)));
        Reading backward = now(backend.read(new Query.Range(from, to, 3, true)));

        assertThat(forward.entries())
                .extracting(entry -> entry.key().name().utf8())
                .containsExactly("a", "b");
        assertThat(forward.more()).isTrue();
        assertThat(backward.entries())
                .extracting(entry -> entry.key().name().utf8())
                .containsExactly("c", "b", "a");
        assertThat(backward.more()).isFalse();
        assertThat(now(backend.read(new Query.Range(to, from, 3, true))).entries())
                .isEmpty();
    }

    @Test
    void anArmedReadIsToldTheNextChangeOnceAlsoWhereNothingStood() {
        Wishes.read(backend, true, key("a"), key("b"));
        now(backend.commit(Commit.of(put("a", "1"))));
        now(backend.commit(Commit.of(put("a", "2"))));
        Wishes.read(backend, true, key("a"));
        now(backend.commit(Commit.of(put("a", "3"))));
        now(backend.commit(Commit.of(put("a", "4"))));

        assertThat(hints).containsExactly(new Hint.Changed(key("a")), new Hint.Changed(key("a")));
    }

    @Test
    void aQuietReleaseWakesThoseThatWereRefusedAndHushesThem() {
        Owner leader = new Owner(1, 1);
        Owner follower = new Owner(2, 1);
        now(backend.acquire(LeaseRequest.of(lease("l"), leader, Duration.ofSeconds(10))));
        assertThat(now(backend.acquire(LeaseRequest.of(lease("l"), follower, Duration.ofSeconds(10)))))
                .isInstanceOf(Acquisition.Busy.class);

        now(backend.commit(Commit.of(new LeaseMutation.Release(
                lease("l"), leader, new Quiet(Duration.ofSeconds(1), Bytes.utf8("failed"))))));

        assertThat(hints).containsExactly(new Hint.Freed(lease("l")));
        assertThat(now(backend.acquire(LeaseRequest.of(lease("l"), follower, Duration.ofSeconds(10)))))
                .isInstanceOfSatisfying(
                        Acquisition.Hushed.class,
                        hushed -> assertThat(hushed.note()).isEqualTo(Bytes.utf8("failed")));
    }

    @Test
    void oneWhosePatienceIsSpentIsHandedTheLeaseAndConfirmsIt_L5() {
        Owner holder = new Owner(1, 1);
        Owner waiter = new Owner(2, 1);
        LeaseRequest.Line line = new LeaseRequest.Line(Duration.ofSeconds(5), Duration.ofSeconds(2), Duration.ZERO);
        LeaseRequest wish =
                LeaseRequest.of(lease("l"), waiter, Duration.ofSeconds(10)).withLine(line);
        now(backend.acquire(LeaseRequest.of(lease("l"), holder, Duration.ofSeconds(10))));
        assertThat(now(backend.acquire(wish)))
                .isInstanceOfSatisfying(
                        Acquisition.Busy.class, busy -> assertThat(busy.place()).isZero());

        now(backend.commit(Commit.of(new LeaseMutation.Release(lease("l"), holder, Quiet.NONE))));

        assertThat(hints).containsExactly(new Hint.Passed(lease("l"), waiter));
        assertThat(now(backend.acquire(LeaseRequest.of(lease("l"), new Owner(3, 1), Duration.ofSeconds(1)))))
                .isInstanceOf(Acquisition.Busy.class);
        assertThat(now(backend.acquire(wish))).isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    void aSettledReceiptIsSpentAndALapsedOneMayStillAcknowledge_Q2() {
        enqueue(backend, queue("q"), Message.of(Bytes.utf8("m")));
        Claim first = now(backend.claim(claim(queue("q"), 1, 1)));
        time.advance(Wishes.MINUTE);
        Claim none = now(backend.claim(claim(queue("q"), 2, 1)));
        assertThat(none.handouts()).isEmpty();

        CommitReply late = now(backend.commit(
                Commit.of(new QueueMutation.Ack(first.handouts().get(0).receipt()))));
        CommitReply again = now(backend.commit(
                Commit.of(new QueueMutation.Ack(first.handouts().get(0).receipt()))));

        assertThat(late).isInstanceOf(CommitReply.Committed.class);
        assertThat(again).isInstanceOf(CommitReply.Conflict.class);
    }
}
