// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation.Count;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Op;
import dev.bellwether.spi.EntryMutation.Overflow;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.EntryMutation.Touch;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseMutation.Take;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueMutation.Move;
import dev.bellwether.spi.QueueMutation.Remove;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Receipt;
import dev.bellwether.spi.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** All or nothing, what a refusal tells, and how counters count. */
public abstract class CommitContract extends BackendContract {
    private static final int MANY = 10_000;

    protected CommitContract() {}

    private record State(List<KvEntry> entries, Inspection.QueueFigures figures, List<LeaseState.Hold> holds) {}

    private State state() {
        List<KvKey> keys = List.of(key("a"), key("b"), key("c"), key("word"));
        Inspection.QueueFigures figures = inspect(new Inspection.Figures(queue("q")));
        List<LeaseState.Hold> holds = new ArrayList<>();
        for (LeaseState.Hold hold : holding(lease("held")).holds()) {
            holds.add(new LeaseState.Hold(
                    hold.owner(), hold.tokens(), hold.weight(), Duration.ZERO, Duration.ZERO, hold.confirmed()));
        }
        Inspection.QueueFigures timeless = new Inspection.QueueFigures(
                figures.ready(),
                figures.delayed(),
                figures.grouped(),
                figures.running(),
                figures.dead(),
                Duration.ZERO,
                figures.settings());
        return new State(read(new Query.Keys(keys, false)).entries(), timeless, holds);
    }

    private List<Mutation> refusable() {
        Owner stranger = owner();
        return List.of(
                new Touch(key("none"), Expiry.NEVER),
                new Count(key("word"), Op.ADD, 1, Overflow.FAIL, Expiry.KEEP),
                new Renew(lease("held"), stranger, LONG, null),
                new Release(lease("held"), stranger, Quiet.NONE),
                new Take(LeaseRequest.of(lease("held"), stranger, LONG)),
                new Break(lease("held"), 1L, true),
                new Ack(new Receipt(queue("q"), new MessageId("none"), 1)),
                new Enqueue(queue("full"), List.of(QueueFixture.message("x")), 1),
                new Move(queue("q"), new MessageId("unknown"), Duration.ZERO),
                new Remove(queue("q"), new MessageId("never")));
    }

    private void prepare() {
        committed(put(key("a"), "1"), put(key("b"), "2"), put(key("word"), "no number"));
        acquire(Acquisition.Granted.class, LeaseRequest.of(lease("held"), owner(), LONG));
        committed(QueueFixture.enqueue(queue("q"), "m"));
        committed(QueueFixture.enqueue(queue("full"), "m"));
    }

    @Test
    @Proves({Law.ATOMIC, Law.REFUSAL})
    void oneRefusedMutationAtAnyPlaceLeavesNothingBehind() {
        prepare();
        State before = state();
        List<Mutation> good = List.of(
                put(key("a"), "changed"),
                new Delete(key("b"), Duration.ZERO),
                put(key("c"), "new"),
                QueueFixture.enqueue(queue("q"), "new"),
                new Take(LeaseRequest.of(lease("free"), owner(), LONG)));
        for (Mutation bad : refusable()) {
            for (int place = 0; place <= good.size(); place++) {
                List<Mutation> all = new ArrayList<>(good);
                all.add(place, bad);
                List<Obstacle> obstacles = refused(new Commit(id(), List.of(), all));
                assertThat(obstacles)
                        .as("what refused " + bad)
                        .extracting(Obstacle::index)
                        .containsExactly(place);
                assertThat(state())
                        .as("the state after a refusal of " + bad + " at " + place)
                        .isEqualTo(before);
                assertThat(holding(lease("free")).holds()).isEmpty();
            }
        }
    }

    @Test
    @Proves({Law.ATOMIC, Law.CHECKS})
    void oneFailedCheckAtAnyPlaceLeavesNothingBehind() {
        prepare();
        State before = state();
        Version version = present(key("a")).version();
        List<Check> good = List.of(new Check.Is(key("a"), version, false), new Check.Vacant(key("c"), false));
        List<Check> failing = List.of(
                new Check.Is(key("b"), version.value() > 5 ? new Version(5) : version, false),
                new Check.Is(key("c"), version, false),
                new Check.Is(key("c"), Version.NONE, false),
                new Check.Vacant(key("b"), false),
                new Check.Held(lease("held"), owner()),
                new Check.Current(new Receipt(queue("q"), new MessageId("none"), 1)));
        for (Check bad : failing) {
            for (int place = 0; place <= good.size(); place++) {
                List<Check> all = new ArrayList<>(good);
                all.add(place, bad);
                List<Obstacle> obstacles = refused(commit(all, put(key("a"), "changed"), put(key("c"), "new")));
                assertThat(obstacles)
                        .as("what refused " + bad)
                        .extracting(Obstacle::index)
                        .containsExactly(place);
                assertThat(state())
                        .as("the state after " + bad + " failed at " + place)
                        .isEqualTo(before);
            }
        }
    }

    @Test
    @Proves(Law.CHECKS)
    void checksThatHoldLetTheCommitHappen() {
        committed(put(key("a"), "1"));
        Version version = present(key("a")).version();
        List<Check> checks = List.of(new Check.Is(key("a"), version, true), new Check.Vacant(key("b"), true));
        committed(commit(checks, put(key("a"), "2"), put(key("b"), "3")));
        assertValue(key("a"), "2");
        assertThat(refused(commit(checks, put(key("a"), "4")))).hasSize(2);
        committed(new Delete(key("b"), LONG));
        committed(commit(List.of(new Check.Vacant(key("b"), false)), put(key("a"), "5")));
    }

    @Test
    @Proves(Law.CHECKS)
    void checksLookAtWhatStoodBeforeTheFirstMutation() {
        committed(put(key("a"), "1"));
        Version version = present(key("a")).version();
        committed(commit(List.of(new Check.Is(key("a"), version, false)), new Delete(key("a"), Duration.ZERO)));
        committed(commit(List.of(new Check.Vacant(key("a"), false)), put(key("a"), "2")));
        assertValue(key("a"), "2");
    }

    @Test
    @Proves(Law.CHECKS)
    void aCommitMayOnlyCheck() {
        committed(commit(List.of(new Check.Vacant(key("a"), false))));
        assertThat(refused(commit(List.of(new Check.Is(key("a"), new Version(7), false)))))
                .hasSize(1);
    }

    @Test
    @Proves(Law.CONFLICT)
    void aConflictNamesEverythingThatStoodInTheWay() {
        prepare();
        List<Check> checks = List.of(
                new Check.Vacant(key("a"), false),
                new Check.Vacant(key("none"), false),
                new Check.Is(key("none"), new Version(3), false));
        List<Mutation> bad = refusable();
        List<Mutation> mutations = new ArrayList<>(bad.subList(0, 3));
        mutations.addAll(bad.subList(6, bad.size() - 1));
        List<Obstacle> obstacles = refused(commit(checks, mutations.toArray(Mutation[]::new)));
        assertThat(obstacles).extracting(Obstacle::index).containsExactly(0, 2, 3, 4, 5, 6, 7, 8);
        assertThat(obstacles.stream().map(Object::getClass))
                .containsExactly(
                        Obstacle.EntryDiffers.class,
                        Obstacle.EntryDiffers.class,
                        Obstacle.Unfit.class,
                        Obstacle.Unfit.class,
                        Obstacle.NotHeld.class,
                        Obstacle.Stale.class,
                        Obstacle.QueueFull.class,
                        Obstacle.Unfit.class);
    }

    @Test
    @Proves({Law.CONFLICT, Law.CONFLICT_VALUE})
    void aConflictTellsWhatStandsThereAndTheValueOnlyIfAsked() {
        Version version = committed(put(key("a"), "1", Expiry.after(LONG))).version();
        for (boolean asked : List.of(true, false)) {
            List<Check> checks =
                    List.of(new Check.Vacant(key("a"), asked), new Check.Is(key("a"), new Version(2), asked));
            for (Obstacle obstacle : refused(commit(checks, put(key("a"), "2")))) {
                Obstacle.EntryDiffers there = (Obstacle.EntryDiffers) obstacle;
                assertThat(there.key()).isEqualTo(key("a"));
                assertThat(there.version()).isEqualTo(version);
                assertThat(there.present()).isTrue();
                assertThat(there.expiresAtMillis()).isEqualTo(present(key("a")).expiresAtMillis());
                assertThat(there.value())
                        .as("the value when orGet is " + asked)
                        .isEqualTo(asked ? Optional.of(bytes("1")) : Optional.empty());
            }
        }
    }

    @Test
    @Proves(Law.CONFLICT)
    void aConflictTellsAnAbsenceWithItsTombstone() {
        Version version = committed(new Delete(key("a"), LONG)).version();
        List<Check> checks = List.of(new Check.Is(key("a"), version, true));
        Obstacle.EntryDiffers there = obstacle(Obstacle.EntryDiffers.class, commit(checks, put(key("b"), "2")));
        assertThat(there.present()).isFalse();
        assertThat(there.version()).as("that of the tombstone").isEqualTo(version);
        assertThat(there.value()).isEmpty();
    }

    @Test
    @Proves(Law.PARTITIONS)
    void aCommitAcrossPartitionsHappensWholeOrIsRefusedWithASentence() {
        KvKey here = KvKey.of(name("here"));
        KvKey there = KvKey.of(name("there"));
        Commit across = commit(put(here, "1"), put(there, "2"));
        if (can(Power.CROSS_PARTITION)) {
            committed(across);
            assertValue(here, "1");
            assertValue(there, "2");
            refused(commit(put(here, "3"), new Touch(key("none"), Expiry.NEVER)));
            assertValue(here, "1");
        } else {
            assertRefusedAtOnce(() -> backend().commit(across));
            absent(here);
            absent(there);
        }
    }

    @Test
    @Proves(Law.SIZES)
    void tenThousandMutationsHappenOrTheStatedLimitRefusesThem() {
        int most = Math.min(MANY, backend().capabilities().limits().maxOperations());
        List<Mutation> puts = new ArrayList<>();
        for (int i = 0; i < most; i++) puts.add(put(key("k" + i), "v" + i));
        committed(new Commit(id(), List.of(), puts));
        assertValue(key("k" + (most - 1)), "v" + (most - 1));
        if (most == MANY) return;
        List<Mutation> tooMany = new ArrayList<>(Collections.nCopies(1, put(key("over"), "x")));
        tooMany.addAll(puts);
        assertRefusedAtOnce(() -> backend().commit(new Commit(id(), List.of(), tooMany)));
        absent(key("over"));
    }

    // Counters

    private long count(KvKey key, Op op, long operand, Overflow overflow) {
        return outcome(Outcome.Counted.class, new Count(key, op, operand, overflow, Expiry.KEEP))
                .number();
    }

    @Test
    @Proves(Law.COUNTERS)
    void aCountOfNothingStoresItsOperand() {
        for (Op op : Op.values()) {
            KvKey key = key(op.name());
            assertThat(count(key, op, -5, Overflow.FAIL)).as(op.name()).isEqualTo(-5);
            assertThat(present(key).value()).isEqualTo(Counter.encode(-5));
        }
    }

    @Test
    @Proves(Law.COUNTERS)
    void additionIsSignedAndExactInAll64Bits() {
        KvKey key = key("n");
        long sum = 0;
        for (long operand : new long[] {
            1, -1, 1L << 31, 1L << 32, (1L << 53) + 1, 1, -(1L << 62), Long.MAX_VALUE - 9, 255, -256, 65_535
        }) {
            sum += operand;
            assertThat(count(key, Op.ADD, operand, Overflow.FAIL))
                    .as("plus " + operand)
                    .isEqualTo(sum);
        }
        assertThat(present(key).value()).isEqualTo(Counter.encode(sum));
    }

    @Test
    @Proves(Law.COUNTERS)
    void leastAndGreatestCompareSigned() {
        KvKey key = key("n");
        assertThat(count(key, Op.MAX, -3, Overflow.FAIL)).isEqualTo(-3);
        assertThat(count(key, Op.MAX, 4, Overflow.FAIL)).isEqualTo(4);
        assertThat(count(key, Op.MAX, Long.MIN_VALUE, Overflow.FAIL)).isEqualTo(4);
        assertThat(count(key, Op.MIN, (1L << 53) + 1, Overflow.FAIL)).isEqualTo(4);
        assertThat(count(key, Op.MIN, -7, Overflow.FAIL)).isEqualTo(-7);
        assertThat(count(key, Op.MIN, Long.MIN_VALUE, Overflow.FAIL)).isEqualTo(Long.MIN_VALUE);
        assertThat(count(key, Op.MAX, Long.MAX_VALUE, Overflow.FAIL)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Proves(Law.OVERFLOW)
    void anOverflowFailsSaturatesOrWrapsAsAsked() {
        for (long end : new long[] {Long.MAX_VALUE, Long.MIN_VALUE}) {
            long step = Long.signum(end);
            KvKey key = key("n" + step);
            committed(new Put(key, Counter.encode(end), Expiry.NEVER));
            obstacle(Obstacle.Unfit.class, new Count(key, Op.ADD, step, Overflow.FAIL, Expiry.KEEP));
            assertThat(present(key).value()).isEqualTo(Counter.encode(end));
            assertThat(count(key, Op.ADD, step * 10, Overflow.SATURATE)).isEqualTo(end);
            assertThat(count(key, Op.ADD, step, Overflow.WRAP)).isEqualTo(end + step);
        }
    }

    @Test
    @Proves({Law.COUNTERS, Law.REFUSAL})
    void whatIsNoCounterIsNotCountedAndTheWholeCommitIsRefused() {
        List<Bytes> words = List.of(
                bytes("12"),
                Bytes.EMPTY,
                Bytes.wrap(new byte[9]),
                Bytes.wrap(new byte[8]),
                Counter.encode(1).plus(bytes("x")));
        for (Bytes word : words) {
            committed(new Put(key("word"), word, Expiry.NEVER));
            Obstacle.Unfit unfit = obstacle(
                    Obstacle.Unfit.class,
                    commit(put(key("other"), "x"), new Count(key("word"), Op.ADD, 1, Overflow.WRAP, Expiry.NEVER)));
            assertThat(unfit.index()).isEqualTo(1);
            assertThat(unfit.reason()).isNotBlank();
            absent(key("other"));
            assertThat(present(key("word")).value()).isEqualTo(word);
        }
    }

    @Test
    @Proves({Law.COUNTERS, Law.VERSIONS, Law.KEEP})
    void aCountSetsExpiryAndVersionLikeAPut() {
        Version first = committed(new Count(key("n"), Op.ADD, 1, Overflow.FAIL, Expiry.after(LONG)))
                .version();
        KvEntry.Present counted = present(key("n"));
        assertThat(counted.version()).isEqualTo(first);
        assertThat(counted.expiresAtMillis()).isPresent();
        CommitReply.Committed again = committed(new Count(key("n"), Op.ADD, 1, Overflow.FAIL, Expiry.KEEP));
        assertThat(again.version()).isGreaterThan(first);
        assertThat(present(key("n")).expiresAtMillis()).isEqualTo(counted.expiresAtMillis());
    }
}
