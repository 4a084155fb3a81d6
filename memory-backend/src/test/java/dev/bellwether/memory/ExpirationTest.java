// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import static dev.bellwether.memory.Wishes.claim;
import static dev.bellwether.memory.Wishes.key;
import static dev.bellwether.memory.Wishes.lease;
import static dev.bellwether.memory.Wishes.now;
import static dev.bellwether.memory.Wishes.put;
import static dev.bellwether.memory.Wishes.queue;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.RequestId;
import dev.bellwether.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExpirationTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private final ManualTime time = new ManualTime();
    private final MemoryBackend backend = MemoryBackend.on(time);

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void aMillionExpiredKeysAreGivenBackAndLeaveNoTask_S3() {
        for (int i = 0; i < 1_000_000; i++) putFor(KvKey.of(Bytes.utf8("k" + i)), Duration.ofMillis(1 + i % 5_000));
        assertThat(fact("entries")).isEqualTo("1000000");

        time.advance(Duration.ofSeconds(6));

        assertThat(fact("entries")).isEqualTo("0");
        assertThat(fact("bytes")).isEqualTo("0");
        assertThat(time.step()).as("a task was left").isFalse();
    }

    @Test
    void oneTurnOfTheTimerDoesBoundedWork() {
        for (int i = 0; i < 5_000; i++) putFor(KvKey.of(Bytes.utf8("k" + i)), SECOND);

        int turns = 0;
        for (long before = entries(); time.step(); before = entries()) {
            assertThat(before - entries()).isLessThanOrEqualTo(1_000);
            turns++;
        }

        assertThat(entries()).isZero();
        assertThat(turns).isBetween(5, 7);
    }

    @Test
    void aStoreWithNothingToExpireHasNoTask() {
        now(backend.commit(Commit.of(put("a", "1"))));

        assertThat(time.step()).isFalse();
    }

    @Test
    void overwritingAndDeletingWhatExpiresLeavesNothingBehind() {
        for (int i = 0; i < 100_000; i++) {
            putFor(key("a"), Duration.ofMinutes(1 + i % 100));
            putFor(key("b"), Duration.ofDays(1 + i));
            now(backend.commit(Commit.of(new EntryMutation.Delete(key("b"), Duration.ZERO))));
        }

        int turns = 0;
        while (time.step()) turns++;

        assertThat(entries()).isZero();
        assertThat(turns).isLessThan(10);
    }

    @Test
    void whatIsPutOffAtEachUseLivesOnAndEndsOnce() {
        Owner owner = new Owner(1, 1);
        LeaseRequest request = LeaseRequest.of(lease("l"), owner, SECOND).withRetain(Duration.ZERO);
        now(backend.acquire(request));
        for (int i = 0; i < 100; i++) {
            time.advance(Duration.ofMillis(900));
            now(backend.commit(Commit.of(new LeaseMutation.Renew(lease("l"), owner, SECOND, null))));
        }
        assertThat(fact("leases")).isEqualTo("1");

        time.advance(Duration.ofSeconds(2));

        assertThat(fact("leases")).isEqualTo("0");
        assertThat(time.step()).isFalse();
    }

    @Test
    void leasesPlacesInLineRequestsConsumersAndKeysAllEnd_S3() {
        LeaseRequest.Line line = new LeaseRequest.Line(SECOND, SECOND, SECOND);
        now(backend.acquire(LeaseRequest.of(lease("l"), new Owner(1, 1), TEN_SECONDS)));
        now(backend.acquire(
                LeaseRequest.of(lease("l"), new Owner(2, 1), TEN_SECONDS).withLine(line)));
        now(backend.acquire(LeaseRequest.of(lease("quiet"), new Owner(3, 1), TEN_SECONDS)));
        now(backend.commit(Commit.of(new LeaseMutation.Release(
                lease("quiet"), new Owner(3, 1), new Quiet(TEN_SECONDS, Bytes.utf8("note"))))));
        now(backend.commit(
                new Commit(new RequestId(1, 1), List.of(), List.of(new EntryMutation.Delete(key("a"), SECOND)))));
        now(backend.claim(new ClaimRequest(queue("q"), new RequestId(1, 2), List.of(), 1, SECOND, TEN_SECONDS)));
        Message deduplicated = new Message(
                Bytes.utf8("m"),
                Duration.ZERO,
                0,
                null,
                new Message.Dedup(Bytes.utf8("k"), TEN_SECONDS, Message.Dedup.Mode.IGNORE),
                Message.CrashPolicy.DEFAULT);
        Wishes.enqueue(backend, queue("q"), deduplicated);
        Claim claim = now(backend.claim(claim(queue("q"), 3, 1)));
        now(backend.commit(
                Commit.of(new QueueMutation.Ack(claim.handouts().get(0).receipt()))));

        time.advance(Duration.ofDays(2));

        assertThat(List.of(fact("entries"), fact("leases"), fact("queues"), fact("bytes")))
                .containsOnly("0");
        assertThat(time.step()).isFalse();
    }

    @Test
    void anEntryThatEndsIsToldToWhoArmedIt() {
        List<Hint> hints = new ArrayList<>();
        backend.listen(hints::add);
        putFor(key("a"), SECOND);
        Wishes.read(backend, true, key("a"));

        time.advance(Duration.ofSeconds(2));

        assertThat(hints).containsExactly(new Hint.Changed(key("a")));
    }

    @Test
    void theOldestOfTooManyAbsentKeysGivesUpItsArmWithAHint() {
        List<Hint> hints = new ArrayList<>();
        backend.listen(hints::add);
        for (int i = 0; i <= 65_536; i++) Wishes.read(backend, true, key("k" + i));

        assertThat(hints).containsExactly(new Hint.Changed(key("k0")));
    }

    @Test
    void theClockNeverAnswersAnEntryBeforeItsVersion_S2() {
        putFor(key("a"), SECOND);
        KvEntry first = Wishes.get(backend, key("a"));
        time.advance(SECOND);
        putFor(key("a"), SECOND);

        assertThat(Wishes.get(backend, key("a")).version()).isGreaterThan(first.version());
    }

    private void putFor(KvKey key, Duration ttl) {
        now(backend.commit(Commit.of(put(key, "v", Expiry.after(ttl)))));
    }

    private long entries() {
        return Long.parseLong(fact("entries"));
    }

    private String fact(String name) {
        return now(backend.inspect(new Inspection.Store())).getOrDefault(name, "unknown");
    }
}
