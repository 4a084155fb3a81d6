// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import static dev.bellwether.memory.Wishes.claim;
import static dev.bellwether.memory.Wishes.key;
import static dev.bellwether.memory.Wishes.lease;
import static dev.bellwether.memory.Wishes.now;
import static dev.bellwether.memory.Wishes.put;
import static dev.bellwether.memory.Wishes.queue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.error.RejectedException;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.Quiet;
import dev.bellwether.testkit.ManualTime;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class BoundsTest {
    private static final Duration TTL = Duration.ofSeconds(10);

    private final ManualTime time = new ManualTime();

    @Test
    void beyondTheBoundOfEntriesACommitIsRejectedAsAWhole_S5() {
        MemoryBackend backend = withEntries(2);
        commit(backend, put("a", "1"));

        rejected(() -> commit(backend, put("b", "1"), put("c", "1"), put("a", "2")))
                .contains("1 entries of at most 2", "2 more", "nothing happened", "raise maxEntries");

        assertThat(Wishes.get(backend, key("b"))).isInstanceOf(KvEntry.Absent.class);
        assertThat(Wishes.get(backend, key("a")))
                .isInstanceOfSatisfying(
                        KvEntry.Present.class, a -> assertThat(a.value()).isEqualTo(Bytes.utf8("1")));
    }

    @Test
    void beyondTheBoundOfBytesOnlyWhatGrowsIsRejected() {
        MemoryBackend backend =
                MemoryBackend.builder().timer(time).maxBytes(100).build();
        commit(backend, put("a", "x".repeat(99)));

        rejected(() -> commit(backend, put("a", "x".repeat(100))))
                .contains("100 bytes of at most 100", "raise maxBytes");
        commit(backend, put("a", "y".repeat(99)));
        commit(backend, put("a", "short"));
        commit(backend, put("b", "x".repeat(90)));
    }

    @Test
    void leaseNamesAndMessagesCountAsWell() {
        MemoryBackend backend = withEntries(2);
        now(backend.acquire(LeaseRequest.of(lease("l"), new Owner(1, 1), TTL)));
        Wishes.enqueue(backend, queue("q"), Message.of(Bytes.utf8("m")));

        rejected(() -> now(backend.acquire(LeaseRequest.of(lease("other"), new Owner(1, 2), TTL))))
                .contains("maxEntries");
        rejected(() -> Wishes.enqueue(backend, queue("q"), Message.of(Bytes.utf8("m"))))
                .contains("maxEntries");
        rejected(() -> commit(backend, new LeaseMutation.Take(LeaseRequest.of(lease("other"), new Owner(1, 2), TTL))))
                .contains("maxEntries");
        assertThat(now(backend.acquire(LeaseRequest.of(lease("l"), new Owner(1, 1), TTL))))
                .isNotNull();
    }

    @Test
    void aFullStoreStillReleasesAcknowledgesClaimsAndDeletes() {
        MemoryBackend backend = withEntries(3);
        now(backend.acquire(LeaseRequest.of(lease("l"), new Owner(1, 1), TTL).withRetain(Duration.ZERO)));
        Wishes.enqueue(backend, queue("q"), Message.of(Bytes.utf8("m")));
        commit(backend, put("a", "1"));

        Claim claim = now(backend.claim(claim(queue("q"), 1, 1)));
        commit(backend, new QueueMutation.Ack(claim.handouts().get(0).receipt()));
        commit(backend, new LeaseMutation.Release(lease("l"), new Owner(1, 1), Quiet.NONE));
        commit(backend, new EntryMutation.Delete(key("a"), Duration.ZERO), put("b", "1"));

        commit(backend, put("c", "1"), put("d", "1"));
        rejected(() -> commit(backend, put("e", "1"))).contains("3 entries of at most 3");
    }

    @Test
    void oneEntryMayTakeTheRoomOfAnotherInTheSameCommit() {
        MemoryBackend backend = withEntries(1);
        commit(backend, put("a", "1"));

        commit(backend, new EntryMutation.Delete(key("a"), Duration.ZERO), put("b", "1"));

        assertThat(Wishes.get(backend, key("b"))).isInstanceOf(KvEntry.Present.class);
    }

    @Test
    void whatHasExpiredMakesRoomBeforeTheTimerSweptIt() {
        MemoryBackend backend = withEntries(1);
        commit(backend, put(key("a"), "1", Expiry.after(Duration.ofMillis(500))));
        time.advance(Duration.ofMillis(499));
        rejected(() -> commit(backend, put("b", "1"))).contains("maxEntries");

        // The timer's own turn comes later than this very moment.
        MemoryBackend lazy = MemoryBackend.builder()
                .timer(new TimerWithoutTasks(time))
                .maxEntries(1)
                .build();
        commit(lazy, put(key("a"), "1", Expiry.after(Duration.ofMillis(500))));
        time.advance(Duration.ofSeconds(1));
        commit(lazy, put("b", "1"));

        assertThat(Wishes.get(lazy, key("b"))).isInstanceOf(KvEntry.Present.class);
    }

    @Test
    void aBoundBelowOneIsRefusedByTheBuilder() {
        assertThatThrownBy(() -> MemoryBackend.builder().maxEntries(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxEntries is 0");
        assertThatThrownBy(() -> MemoryBackend.builder().maxBytes(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxBytes is -1");
    }

    private MemoryBackend withEntries(long most) {
        return MemoryBackend.builder().timer(time).maxEntries(most).build();
    }

    private static void commit(MemoryBackend backend, dev.bellwether.spi.Mutation... mutations) {
        assertThat(now(backend.commit(Commit.of(mutations)))).isInstanceOf(CommitReply.Committed.class);
    }

    private static org.assertj.core.api.AbstractStringAssert<?> rejected(ThrowingCallable call) {
        return assertThatThrownBy(call)
                .cause()
                .isInstanceOfSatisfying(
                        RejectedException.class,
                        refusal -> assertThat(refusal.nothingHappened()).isTrue())
                .message();
    }
}
