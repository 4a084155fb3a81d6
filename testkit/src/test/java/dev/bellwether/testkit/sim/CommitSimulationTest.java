// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation.Count;
import dev.bellwether.spi.EntryMutation.Op;
import dev.bellwether.spi.EntryMutation.Overflow;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.RequestId;
import dev.bellwether.spi.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Commits with ids, sent again until somebody answers, in worlds that lose and repeat. */
final class CommitSimulationTest {
    private static final KvKey ONE = KvKey.of(Bytes.utf8("one"));
    private static final KvKey OTHER = KvKey.of(Bytes.utf8("other"));
    private static final KvKey NEVER = KvKey.of(Bytes.utf8("never"));
    private static final Duration GIVE_UP_AFTER = Duration.ofSeconds(15);
    private static final int SCHEDULES = 10_000;
    private static final int COMMITS_EACH = 5;

    private static final class Writer {
        private final SimWorld world;
        private final SimProcess process;
        private final boolean named;
        private final long processId;
        private final List<KvKey> marks = new ArrayList<>();
        private int acknowledged;
        private int unknown;

        Writer(SimWorld world, String name, boolean named) {
            this.world = world;
            this.process = world.process(name);
            this.named = named;
            this.processId = world.random().nextLong();
        }

        void next() {
            if (marks.size() == COMMITS_EACH) return;
            KvKey mark = KvKey.of(Bytes.utf8(process.name() + marks.size()));
            marks.add(mark);
            // Every fourth commit meets an obstacle, and then nothing of it may be seen.
            boolean doomed = world.random().nextInt(4) == 0;
            List<Check> checks =
                    List.of(doomed ? new Check.Is(NEVER, new Version(7), false) : new Check.Vacant(NEVER, false));
            RequestId id = named ? new RequestId(processId, marks.size()) : null;
            Commit commit = new Commit(
                    id, checks, List.of(increment(ONE), new Put(mark, Bytes.EMPTY, Expiry.NEVER), increment(OTHER)));
            send(commit, process.timer().nanoTime());
        }

        private static Count increment(KvKey key) {
            return new Count(key, Op.ADD, 1, Overflow.FAIL, Expiry.KEEP);
        }

        private void send(Commit commit, long since) {
            var unused = process.backend().commit(commit).whenComplete((reply, failure) -> {
                if (reply instanceof CommitReply.Committed) acknowledged++;
                if (reply != null) {
                    next();
                } else if (process.timer().nanoTime() - since < GIVE_UP_AFTER.toNanos()) {
                    send(commit, since);
                } else {
                    unknown++;
                    next();
                }
            });
        }
    }

    private static long counter(@Nullable KvEntry entry) {
        return entry instanceof KvEntry.Present present
                ? Counter.decode(present.value()).orElseThrow()
                : 0;
    }

    private static void play(SimWorld world, boolean named) {
        List<Writer> writers = List.of(new Writer(world, "A", named), new Writer(world, "B", named));
        writers.forEach(writer -> writer.process.execute(writer::next));
        world.run(Duration.ofMinutes(4));
        long one = counter(world.look(List.of(ONE)).get(0));
        long other = counter(world.look(List.of(OTHER)).get(0));
        List<KvKey> marks =
                writers.stream().flatMap(writer -> writer.marks.stream()).toList();
        long marked = world.look(marks).stream()
                .filter(KvEntry.Present.class::isInstance)
                .count();
        assertThat(List.of(one, other))
                .as("S1: all or nothing, S4: at most once")
                .containsOnly(marked);
        long acknowledged =
                writers.stream().mapToLong(writer -> writer.acknowledged).sum();
        long unknown = writers.stream().mapToLong(writer -> writer.unknown).sum();
        assertThat(one).as("S4: what was acknowledged happened").isBetween(acknowledged, acknowledged + unknown);
    }

    @Test
    void s1AndS4_aCommitWithAnIdHappensEntirelyAndAtMostOnce() {
        var explored = Simulations.explore(SCHEDULES, 1, Faults.wild(), world -> play(world, true));
        System.out.printf("commits: %.0f schedules per second%n", explored.perSecond());
        assertThat(explored.schedules()).isEqualTo(SCHEDULES);
    }

    @Test
    void s4_aCommitWithoutAnIdIsCaught() {
        assertThatThrownBy(() -> Simulations.explore(1_000, 1, Faults.wild(), world -> play(world, false)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("S4");
    }
}
