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

import dev.bellwether.error.ClosedException;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Subscription;
import dev.bellwether.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class CloseTest {
    private final ManualTime time = new ManualTime();
    private final MemoryBackend backend = MemoryBackend.on(time);

    @Test
    void everyVerbOfAClosedStoreSaysSoAndCloseIsIdempotent_E1() {
        backend.close();
        backend.close();

        closed(() -> now(backend.read(new Query.Keys(List.of(key("a")), false))));
        closed(() -> now(backend.read(new Query.Keys(List.of(key("a")), true))));
        closed(() -> now(backend.read(new Query.Keys(List.of(key("a"), key("b")), false))));
        closed(() -> now(backend.commit(Commit.of(put("a", "1")))));
        closed(() -> now(backend.acquire(LeaseRequest.of(lease("l"), new Owner(1, 1), Wishes.MINUTE))));
        closed(() -> now(backend.claim(claim(queue("q"), 1, 1))));
        closed(() -> now(backend.inspect(new Inspection.Store())));
    }

    @Test
    void closeLeavesNoTask_E1() {
        now(backend.commit(Commit.of(put(key("a"), "1", Expiry.after(Duration.ofSeconds(1))))));

        backend.close();

        assertThat(time.step()).isFalse();
    }

    @Test
    void aListenerThatUnsubscribedIsToldNothingAndAFailingOneDisturbsNobody() {
        List<Hint> hints = new ArrayList<>();
        List<Hint> others = new ArrayList<>();
        Subscription subscription = backend.listen(hints::add);
        backend.listen(hint -> {
            throw new IllegalStateException("a listener that fails, on purpose");
        });
        backend.listen(others::add);
        Wishes.read(backend, true, key("a"));

        subscription.close();
        subscription.close();
        now(backend.commit(Commit.of(put("a", "1"))));

        assertThat(hints).isEmpty();
        assertThat(others).containsExactly(new Hint.Changed(key("a")));
    }

    @Test
    void aListenerMayAskTheStoreForNoLockIsHeldWhileItIsTold_E2() {
        List<Boolean> present = new ArrayList<>();
        backend.listen(
                hint -> present.add(Wishes.get(backend, key("a")) instanceof dev.bellwether.spi.KvEntry.Present));
        Wishes.read(backend, true, key("a"));

        now(backend.commit(Commit.of(put("a", "1"))));

        assertThat(present).containsExactly(true);
    }

    private static void closed(ThrowingCallable call) {
        assertThatThrownBy(call).cause().isInstanceOf(ClosedException.class).hasMessageContaining("closed");
    }
}
