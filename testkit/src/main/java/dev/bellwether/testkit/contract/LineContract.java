// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Acquisition.Busy;
import dev.bellwether.spi.Acquisition.Ended;
import dev.bellwether.spi.Acquisition.Granted;
import dev.bellwether.spi.Acquisition.Hushed;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Line;
import dev.bellwether.spi.LeaseRequest.Share;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who comes next. No test listens to hints: a line makes progress by asking again alone. */
public abstract class LineContract extends BackendContract {
    private static final int READ_WRITE = Integer.MAX_VALUE;
    private static final Line FAIR = new Line(LONG, LONG, Duration.ZERO);
    private static final Line PATIENT = new Line(LONG, LONG, LONG);

    protected LineContract() {}

    private LeaseRequest wish(Owner owner) {
        return LeaseRequest.of(lease("l"), owner, LONG);
    }

    private LeaseRequest wish(Owner owner, Line line) {
        return wish(owner).withLine(line);
    }

    private Owner holder() {
        Owner owner = owner();
        acquire(Granted.class, wish(owner));
        return owner;
    }

    private Owner waiter(Line line) {
        Owner owner = owner();
        assertThat(acquire(Busy.class, wish(owner, line)).place())
                .as("a place in line")
                .isNotNegative();
        return owner;
    }

    private Release release(Owner owner) {
        return new Release(lease("l"), owner, Quiet.NONE);
    }

    private void assertHandedTo(Owner owner) {
        List<LeaseState.Hold> holds = holding(lease("l")).holds();
        assertThat(holds).as("who holds").extracting(LeaseState.Hold::owner).containsExactly(owner);
        assertThat(holds.get(0).confirmed()).as("confirmed").isFalse();
    }

    @Test
    @Proves(Law.LINE)
    void placesAreCountedFromTheFrontAndKeptWhenAskedForAgain() {
        holder();
        List<Owner> line = List.of(owner(), owner(), owner());
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 3; i++) {
                assertThat(acquire(Busy.class, wish(line.get(i), PATIENT)).place())
                        .isEqualTo(i);
            }
        }
        assertThat(holding(lease("l")).waiting()).isEqualTo(3);
    }

    @Test
    @Proves(Law.LINE)
    void aPatientLineIsServedInOrder() {
        Owner holder = holder();
        List<Owner> line = List.of(waiter(PATIENT), waiter(PATIENT), waiter(PATIENT));
        for (int i = 0; i < line.size(); i++) {
            committed(release(holder));
            holder = line.get(i);
            acquire(Granted.class, wish(holder, PATIENT));
            for (int j = i + 1; j < line.size(); j++) {
                assertThat(acquire(Busy.class, wish(line.get(j), PATIENT)).place())
                        .isEqualTo(j - i - 1);
            }
        }
    }

    @Test
    @Proves({Law.LINE, Law.PATIENCE})
    void nobodyInLineOvertakesThoseBeforeOnceTheirPatienceIsSpent() {
        Owner holder = holder();
        Owner first = waiter(FAIR);
        Owner second = waiter(FAIR);
        committed(release(holder));
        assertThat(acquire(Busy.class, wish(second, FAIR)).place()).isZero();
        acquire(Granted.class, wish(first, FAIR));
    }

    @Test
    @Proves({Law.LINE, Law.TOKENS})
    void aFairLineIsStrictlyFirstInFirstOut() {
        Owner holder = holder();
        List<Owner> line = new ArrayList<>();
        for (int i = 0; i < 5; i++) line.add(waiter(FAIR));
        List<Owner> served = new ArrayList<>();
        Tokens last = holding(lease("l")).holds().get(0).tokens();
        for (int i = 0; i < 5; i++) {
            committed(release(holder));
            acquire(Busy.class, wish(owner()));
            for (int j = line.size() - 1; j >= 0; j--) {
                if (served.contains(line.get(j))) continue;
                if (acquire(wish(line.get(j), FAIR)) instanceof Granted granted) {
                    assertThat(granted.tokens().first()).isGreaterThan(last.last());
                    assertThat(granted.waiting()).isEqualTo(4 - i);
                    last = granted.tokens();
                    holder = line.get(j);
                    served.add(holder);
                }
            }
            assertThat(served).as("served after " + (i + 1) + " releases").hasSize(i + 1);
        }
        assertThat(served).isEqualTo(line);
    }

    @Test
    @Proves(Law.LINE)
    void aRenewalTellsHowManyWait() {
        Owner holder = holder();
        waiter(PATIENT);
        waiter(PATIENT);
        Renew renew = new Renew(lease("l"), holder, LONG, null);
        assertThat(outcome(Outcome.Renewed.class, renew).waiting()).isEqualTo(2);
        assertThat(acquire(Granted.class, wish(holder)).waiting()).isEqualTo(2);
    }

    // Patience

    @Test
    @Proves(Law.PATIENCE)
    void aNewcomerOvertakesWhilePatienceLasts() {
        Owner holder = holder();
        Owner first = waiter(PATIENT);
        committed(release(holder));
        Owner newcomer = holder();
        assertThat(acquire(Busy.class, wish(first, PATIENT)).place()).isZero();
        committed(release(newcomer));
        acquire(Granted.class, wish(first, PATIENT));
    }

    @Test
    @Proves(Law.PATIENCE)
    void nobodyOvertakesASpentPatience() {
        Owner holder = holder();
        Owner first = waiter(new Line(LONG, LONG, term()));
        pass(term());
        committed(release(holder));
        assertHandedTo(first);
        acquire(Busy.class, wish(owner()));
        acquire(Granted.class, wish(first));
    }

    @Test
    @Proves({Law.PATIENCE, Law.HANDOVER})
    void aNewcomerThatMeetsASpentPatienceHandsTheLeaseOver() {
        Owner dead = owner();
        acquire(Granted.class, LeaseRequest.of(lease("l"), dead, term()));
        Owner first = waiter(FAIR);
        pass(term());
        acquire(Busy.class, wish(owner()));
        assertHandedTo(first);
        acquire(Granted.class, wish(first, FAIR));
    }

    @Test
    @Proves(Law.PATIENCE)
    void patienceBeginsWithTheArrivalAndNotWithEachAsking() {
        Owner holder = holder();
        Line line = new Line(LONG, LONG, term().multipliedBy(2));
        Owner first = waiter(line);
        pass(term());
        acquire(Busy.class, wish(first, line));
        pass(term());
        committed(release(holder));
        acquire(Busy.class, wish(owner()));
        acquire(Granted.class, wish(first, line));
    }

    // Handing over

    @Test
    @Proves(Law.HANDOVER)
    void whoWasHandedTheLeaseConfirmsItByAskingAgain() {
        Owner holder = holder();
        Owner first = waiter(new Line(LONG, term(), Duration.ZERO));
        committed(release(holder));
        assertHandedTo(first);
        Tokens handed = holding(lease("l")).holds().get(0).tokens();
        committed(commit(List.of(new Check.Held(lease("l"), first)), put(key("k"), "v")));
        assertThat(acquire(Granted.class, wish(first, FAIR)).tokens()).isEqualTo(handed);
        assertThat(holding(lease("l")).holds().get(0).confirmed()).isTrue();
        pass(term().multipliedBy(2));
        acquire(Busy.class, wish(owner()));
    }

    @Test
    @Proves({Law.HANDOVER, Law.ENDED})
    void whatIsNotConfirmedLapsesAfterTheTermOfTheGrant() {
        Owner holder = holder();
        Owner first = waiter(new Line(LONG, term(), Duration.ZERO));
        committed(release(holder));
        runOut(term(), () -> acquire(Busy.class, wish(owner())));
        acquire(Ended.class, wish(first, FAIR));
        acquire(Granted.class, wish(owner()));
    }

    @Test
    @Proves({Law.HANDOVER, Law.LINE})
    void anUnconfirmedGrantPassesToTheNextInLine() {
        Owner holder = holder();
        waiter(new Line(LONG, term(), Duration.ZERO));
        Owner second = waiter(FAIR);
        committed(release(holder));
        acquire(Busy.class, wish(second, FAIR));
        pass(term());
        acquire(Busy.class, wish(owner()));
        acquire(Granted.class, wish(second, FAIR));
        assertThat(holding(lease("l")).waiting()).isZero();
    }

    @Test
    @Proves(Law.HANDOVER)
    void whenAHolderDiesAskingAgainIsEnough() {
        acquire(Granted.class, LeaseRequest.of(lease("l"), owner(), term()));
        Owner first = waiter(PATIENT);
        Owner second = waiter(PATIENT);
        pass(term());
        assertThat(acquire(wish(first, PATIENT))).isInstanceOf(Granted.class);
        acquire(Busy.class, wish(second, PATIENT));
    }

    @Test
    @Proves({Law.HANDOVER, Law.QUIET})
    void aLeaseLeftQuietIsNotHandedUntilTheQuietEnds() {
        Owner holder = holder();
        Owner first = waiter(FAIR);
        committed(new Release(lease("l"), holder, new Quiet(term(), bytes("note"))));
        assertThat(holding(lease("l")).holds()).isEmpty();
        acquire(Hushed.class, wish(first, FAIR));
        pass(term());
        acquire(Granted.class, wish(first, FAIR));
    }

    // Leaving

    @Test
    @Proves(Law.LEAVING)
    void whoLeavesMakesRoomForThoseBehind() {
        Owner holder = holder();
        Owner first = waiter(PATIENT);
        Owner second = waiter(PATIENT);
        committed(new Leave(lease("l"), first));
        assertThat(holding(lease("l")).waiting()).isEqualTo(1);
        assertThat(acquire(Busy.class, wish(second, PATIENT)).place()).isZero();
        committed(release(holder));
        acquire(Granted.class, wish(second, PATIENT));
    }

    @Test
    @Proves({Law.LEAVING, Law.HANDOVER})
    void whoLeavesWithTheLeaseInHandPassesItOn() {
        Owner holder = holder();
        Owner first = waiter(FAIR);
        Owner second = waiter(FAIR);
        committed(release(holder));
        assertHandedTo(first);
        committed(new Leave(lease("l"), first));
        assertHandedTo(second);
        acquire(Granted.class, wish(second, FAIR));
    }

    @Test
    @Proves({Law.LEAVING, Law.OVERVIEW})
    void nothingRemainsWhenAllHaveLeft() {
        Owner holder = holder();
        List<Owner> line = List.of(waiter(FAIR), waiter(PATIENT), waiter(FAIR));
        for (Owner owner : line) committed(new Leave(lease("l"), owner));
        committed(release(holder));
        LeaseState state = holding(lease("l"));
        assertThat(state.waiting()).isZero();
        assertThat(state.holds()).isEmpty();
        assertThat(inspect(new Inspection.Leases(name("l"), 10, null))).isEmpty();
        acquire(Granted.class, wish(owner()));
    }

    // Dead heads

    @Test
    @Proves(Law.DEAD_HEADS)
    void aPlaceWhoseTimeHasEndedIsSkipped() {
        Owner holder = holder();
        waiter(new Line(term(), LONG, Duration.ZERO));
        Owner second = waiter(FAIR);
        pass(term());
        assertThat(holding(lease("l")).waiting()).isEqualTo(1);
        assertThat(acquire(Busy.class, wish(second, FAIR)).place()).isZero();
        committed(release(holder));
        assertHandedTo(second);
    }

    @Test
    @Proves(Law.DEAD_HEADS)
    void aDeadLineStandsInNobodysWay() {
        Owner holder = holder();
        waiter(new Line(term(), LONG, Duration.ZERO));
        pass(term());
        committed(release(holder));
        acquire(Granted.class, wish(owner()));
    }

    @Test
    @Proves(Law.DEAD_HEADS)
    void askingAgainKeepsAPlaceAlive() {
        Owner holder = holder();
        Line line = new Line(term().multipliedBy(4), LONG, Duration.ZERO);
        Owner first = waiter(line);
        pass(term().multipliedBy(3));
        acquire(wish(first, line));
        pass(term().multipliedBy(2));
        if (!exact()) acquire(wish(first, line)); // a slow run may have let it end meanwhile
        assertThat(holding(lease("l")).waiting()).isEqualTo(1);
        committed(release(holder));
        assertHandedTo(first);
    }

    // Readers and writers

    private LeaseRequest reader(Owner owner, Line line) {
        return wish(owner, line).withShare(new Share(1, READ_WRITE));
    }

    private LeaseRequest writer(Owner owner, Line line) {
        return wish(owner, line).withShare(new Share(READ_WRITE, READ_WRITE));
    }

    @Test
    @Proves({Law.WRITERS, Law.CAPACITY})
    void aWriterInLineIsNotStarvedByReaders() {
        Owner one = owner();
        Owner two = owner();
        acquire(Granted.class, reader(one, FAIR));
        acquire(Granted.class, reader(two, FAIR));
        Owner writer = owner();
        acquire(Busy.class, writer(writer, FAIR));
        Owner late = owner();
        assertThat(acquire(Busy.class, reader(late, FAIR)).place()).isEqualTo(1);
        acquire(Busy.class, wish(owner()).withShare(new Share(1, READ_WRITE)));
        committed(release(one));
        acquire(Busy.class, reader(late, FAIR));
        committed(release(two));
        assertHandedTo(writer);
        acquire(Granted.class, writer(writer, FAIR));
        acquire(Busy.class, reader(late, FAIR));
        committed(release(writer));
        acquire(Granted.class, reader(late, FAIR));
    }

    @Test
    @Proves({Law.WRITERS, Law.HANDOVER})
    void readersBehindAWriterAreAdmittedTogether() {
        Owner writer = owner();
        acquire(Granted.class, writer(writer, FAIR));
        List<Owner> readers = List.of(owner(), owner(), owner());
        for (Owner reader : readers) acquire(Busy.class, reader(reader, FAIR));
        Owner lastWriter = owner();
        acquire(Busy.class, writer(lastWriter, FAIR));
        committed(release(writer));
        assertThat(holding(lease("l")).holds())
                .extracting(LeaseState.Hold::owner)
                .containsExactlyInAnyOrderElementsOf(readers);
        for (Owner reader : readers) acquire(Granted.class, reader(reader, FAIR));
        Acquisition early = acquire(writer(lastWriter, FAIR));
        assertThat(early).isInstanceOf(Busy.class);
    }
}
