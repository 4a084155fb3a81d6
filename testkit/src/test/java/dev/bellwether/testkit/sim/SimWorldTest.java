// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Query;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class SimWorldTest {
    private static final KvKey KEY = KvKey.of(Bytes.utf8("key"));
    private static final Commit PUT = Commit.of(new Put(KEY, Bytes.EMPTY, Expiry.NEVER));
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static boolean isStored(SimWorld world) {
        return world.look(List.of(KEY)).get(0) instanceof KvEntry.Present;
    }

    private static @Nullable Throwable failureOf(CompletionStage<?> stage) {
        return catchThrowable(stage.toCompletableFuture()::join).getCause();
    }

    @Test
    void tasksRunInAnyOrderAndTheSameSeedRepeatsIt() {
        var orders = new TreeSet<String>();
        for (long seed = 0; seed < 50; seed++) {
            orders.add(orderOf(seed));
            assertThat(orderOf(seed)).isEqualTo(orderOf(seed));
        }
        assertThat(orders).hasSize(6);
    }

    private static String orderOf(long seed) {
        SimWorld world = new SimWorld(seed, Faults.none());
        StringBuilder order = new StringBuilder();
        for (String name : List.of("A", "B", "C")) world.process(name).execute(() -> order.append(name));
        world.run(MINUTE);
        return order.toString();
    }

    @Test
    void aLostRequestDidNothingAndALostReplyDidAndBothEndAsUnknown() {
        SimWorld lostRequest = new SimWorld(1, Faults.builder().dropRequest(1).build());
        SimWorld lostReply = new SimWorld(1, Faults.builder().dropReply(1).build());
        for (SimWorld world : List.of(lostRequest, lostReply)) {
            var reply = world.process("A").backend().commit(PUT).toCompletableFuture();
            world.run(Duration.ofMillis(1_999));
            assertThat(reply).isNotDone();
            world.run(Duration.ofMillis(2));
            assertThat(failureOf(reply)).isInstanceOf(OutcomeUnknownException.class);
        }
        assertThat(isStored(lostRequest)).isFalse();
        assertThat(isStored(lostReply)).isTrue();
    }

    @Test
    void anUnavailableStoreDidNothing() {
        SimWorld world = new SimWorld(1, Faults.builder().unavailable(1).build());
        var reply = world.process("A").backend().commit(PUT).toCompletableFuture();
        world.run(MINUTE);
        assertThat(failureOf(reply)).isInstanceOf(BackendUnavailableException.class);
        assertThat(isStored(world)).isFalse();
    }

    @Test
    void nothingOfACrashedProcessRunsButWhatItSentArrives() {
        SimWorld world = new SimWorld(1, Faults.none());
        SimProcess process = world.process("A");
        var reply = process.backend().commit(PUT).toCompletableFuture();
        process.execute(() -> {
            throw new AssertionError("ran after the crash");
        });
        process.crash();
        world.run(MINUTE);
        assertThat(reply).isNotDone();
        assertThat(isStored(world)).isTrue();
        assertThat(world.process("A")).isNotSameAs(process);
    }

    @Test
    void whatIsDueDuringAPauseRunsLateWhileTheClockGoesOn() {
        SimWorld world = new SimWorld(1, Faults.none());
        SimProcess process = world.process("A");
        List<Long> ranAt = new ArrayList<>();
        long start = process.timer().nanoTime();
        var unused = process.timer()
                .after(Duration.ofSeconds(1), () -> ranAt.add(process.timer().nanoTime() - start));
        process.pause(Duration.ofSeconds(5));
        world.run(MINUTE);
        assertThat(ranAt).containsExactly(Duration.ofSeconds(5).toNanos());
    }

    @Test
    void aFastClockFiresItsTimersEarlierInTruth() {
        SimWorld world = new SimWorld(1, Faults.none());
        SimProcess process = world.process("A");
        process.skew(1.008);
        List<Long> ranAt = new ArrayList<>();
        long deadline = process.timer().nanoTime() + Duration.ofSeconds(100).toNanos();
        var unused = process.timer().after(Duration.ofSeconds(100), () -> {
            ranAt.add(world.nanos());
            assertThat(process.timer().nanoTime()).isGreaterThanOrEqualTo(deadline);
        });
        assertThat(process.trueNanosAt(deadline)).isBetween(99_000_000_000L, 99_300_000_000L);
        world.run(Duration.ofMinutes(2));
        assertThat(ranAt).hasSize(1);
        assertThat(ranAt.get(0)).isBetween(process.trueNanosAt(deadline), process.trueNanosAt(deadline) + 1_000);
    }

    @Test
    void aFailoverLosesTheLatestWritesAndMakesEveryClientDoubt() {
        SimWorld world = new SimWorld(1, Faults.none());
        SimProcess process = world.process("A");
        List<Hint> hints = new ArrayList<>();
        var unused = process.backend().listen(hints::add);
        var first = process.backend().commit(PUT);
        world.run(Duration.ofSeconds(10));
        KvKey later = KvKey.of(Bytes.utf8("later"));
        var second = process.backend().commit(Commit.of(new Put(later, Bytes.EMPTY, Expiry.NEVER)));
        world.run(Duration.ofSeconds(1));
        assertThat(List.of(first, second))
                .allMatch(reply -> reply.toCompletableFuture().isDone());
        world.loseRecentWrites(Duration.ofSeconds(5));
        world.run(Duration.ofSeconds(1));
        assertThat(isStored(world)).isTrue();
        assertThat(world.look(List.of(later)).get(0)).isInstanceOf(KvEntry.Absent.class);
        assertThat(hints).containsExactly(new Hint.Doubt(1));
    }

    @Test
    void hintsReachWhoArmedThem() {
        SimWorld world = new SimWorld(1, Faults.none());
        List<Hint> hints = new ArrayList<>();
        var unused = world.process("A").backend().listen(hints::add);
        var read = world.process("A").backend().read(new Query.Keys(List.of(KEY), true));
        world.run(Duration.ofSeconds(1));
        var put = world.process("B").backend().commit(PUT);
        world.run(Duration.ofSeconds(1));
        assertThat(List.of(
                        read.toCompletableFuture().isDone(),
                        put.toCompletableFuture().isDone()))
                .containsOnly(true);
        assertThat(hints).containsExactly(new Hint.Changed(KEY));
    }

    @Test
    void aClosedBackendAnswersAtOnce() {
        SimWorld world = new SimWorld(1, Faults.none());
        var backend = world.process("A").backend();
        var out = backend.commit(PUT).toCompletableFuture();
        backend.close();
        backend.close();
        assertThat(failureOf(out)).isInstanceOf(ClosedException.class);
        assertThat(failureOf(backend.commit(PUT).toCompletableFuture())).isInstanceOf(ClosedException.class);
    }

    @Test
    void aFailureTellsItsSeedAndReplaysExactly() {
        Throwable first = catchThrowable(() -> Simulations.explore(1_000, 1, Faults.wild(), SimWorldTest::breaks));
        assertThat(first).isInstanceOf(AssertionError.class).hasMessageContaining("world of seed");
        long seed = Long.parseLong(first.toString().replaceAll("(?s).*world of seed (\\d+)L.*", "$1"));
        assertThatThrownBy(() -> Simulations.replay(seed, Faults.wild(), SimWorldTest::breaks))
                .hasMessage(first.getMessage());
    }

    private static void breaks(SimWorld world) {
        for (String name : List.of("A", "B")) {
            SimProcess process = world.process(name);
            process.execute(() -> {
                var unused = process.backend().commit(PUT);
                assertThat(world.random().nextInt(8)).isNotZero();
            });
        }
        world.run(MINUTE);
    }
}
