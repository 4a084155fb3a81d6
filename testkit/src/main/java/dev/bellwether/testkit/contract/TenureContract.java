// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Acquisition.Busy;
import dev.bellwether.spi.Acquisition.Granted;
import dev.bellwether.spi.Acquisition.Hushed;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseMutation.Take;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Line;
import dev.bellwether.spi.LeaseRequest.Share;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What happens to holds beyond asking for them: restored, broken, taken within commits, looked at. */
public abstract class TenureContract extends BackendContract {
    protected TenureContract() {}

    private LeaseRequest wish(Owner owner) {
        return LeaseRequest.of(lease("l"), owner, LONG);
    }

    private Release release(Owner owner) {
        return new Release(lease("l"), owner, Quiet.NONE);
    }

    private Renew reinstate(Owner owner, Tokens tokens) {
        return new Renew(lease("l"), owner, LONG, tokens);
    }

    private Tokens forgotten(Owner owner) {
        Tokens tokens = acquire(
                        Granted.class,
                        LeaseRequest.of(lease("l"), owner, term()).withTokens(3))
                .tokens();
        pass(term());
        return tokens;
    }

    @Test
    @Proves(Law.REINSTATE)
    void aForgottenHoldIsRestoredWithItsTokens() {
        Owner a = owner();
        Tokens tokens = forgotten(a);
        obstacle(Obstacle.NotHeld.class, new Renew(lease("l"), a, LONG, null));
        outcome(Outcome.Renewed.class, reinstate(a, tokens));
        LeaseState.Hold hold = holding(lease("l")).holds().get(0);
        assertThat(hold.owner()).isEqualTo(a);
        assertThat(hold.tokens()).isEqualTo(tokens);
        assertThat(hold.confirmed()).isTrue();
        acquire(Busy.class, wish(owner()));
        committed(release(a));
        assertThat(acquire(Granted.class, wish(owner())).tokens().first()).isGreaterThan(tokens.last());
    }

    @Test
    @Proves({Law.REINSTATE, Law.TOKENS})
    void whatTheStoreNeverKnewIsRestoredAndItsTokensAreOverForGood() {
        Owner a = owner();
        Tokens tokens = new Tokens(1L << 52, (1L << 52) + 32);
        outcome(Outcome.Renewed.class, reinstate(a, tokens));
        acquire(Busy.class, wish(owner()));
        committed(release(a));
        assertThat(acquire(Granted.class, wish(owner())).tokens().first()).isGreaterThan(tokens.last());
    }

    @Test
    @Proves({Law.REINSTATE, Law.EXCLUSIVE})
    void nothingIsRestoredAfterALaterGrant() {
        Owner a = owner();
        Tokens tokens = forgotten(a);
        Owner b = owner();
        acquire(Granted.class, wish(b));
        obstacle(Obstacle.NotHeld.class, reinstate(a, tokens));
        committed(release(b));
        obstacle(Obstacle.NotHeld.class, reinstate(a, tokens));
        assertThat(holding(lease("l")).holds()).isEmpty();
    }

    @Test
    @Proves({Law.REINSTATE, Law.CAPACITY})
    void nothingIsRestoredWithoutRoom() {
        Owner a = owner();
        acquire(Granted.class, wish(owner()).withRetain(Duration.ZERO));
        obstacle(Obstacle.NotHeld.class, reinstate(a, new Tokens(1L << 52, 1L << 52)));
        assertThat(holding(lease("l")).holds()).hasSize(1);
    }

    @Test
    @Proves({Law.REINSTATE, Law.QUIET})
    void nothingIsRestoredIntoTheQuiet() {
        Owner a = owner();
        Tokens tokens = acquire(Granted.class, wish(a)).tokens();
        committed(new Release(lease("l"), a, new Quiet(LONG, bytes("note"))));
        obstacle(Obstacle.NotHeld.class, reinstate(a, tokens));
        acquire(Hushed.class, wish(owner()));
    }

    @Test
    @Proves({Law.REINSTATE, Law.RENEWAL})
    void aLiveHoldIsRenewedWhetherOrNotItsTokensAreNamed() {
        Owner a = owner();
        Tokens tokens = acquire(Granted.class, wish(a)).tokens();
        outcome(Outcome.Renewed.class, reinstate(a, tokens));
        assertThat(holding(lease("l")).holds()).hasSize(1);
    }

    // Break

    @Test
    @Proves({Law.BREAK, Law.FENCE, Law.TOKENS})
    void aLeaseBrokenAtOnceIsFreeAndItsHolderOut() {
        Owner a = owner();
        Tokens tokens = acquire(Granted.class, wish(a)).tokens();
        committed(new Break(lease("l"), tokens.last(), true));
        obstacle(Obstacle.NotHeld.class, new Renew(lease("l"), a, LONG, null));
        obstacle(Obstacle.NotHeld.class, reinstate(a, tokens));
        obstacle(Obstacle.NotHeld.class, commit(put(key("k"), "lost"), release(a)));
        assertThat(acquire(Granted.class, wish(owner())).tokens().first()).isGreaterThan(tokens.last());
    }

    @Test
    @Proves({Law.BREAK, Law.EXCLUSIVE, Law.TERM})
    void aBarredHoldStandsUntilItsTermEndsAndIsNotRenewed() {
        Owner a = owner();
        Tokens tokens = acquire(Granted.class, LeaseRequest.of(lease("l"), a, term().multipliedBy(3)))
                .tokens();
        committed(new Break(lease("l"), null, false));
        obstacle(Obstacle.NotHeld.class, new Renew(lease("l"), a, LONG, null));
        obstacle(Obstacle.NotHeld.class, reinstate(a, tokens));
        acquire(Granted.class, wish(a));
        runOut(term().multipliedBy(3), () -> acquire(Busy.class, wish(owner())));
        obstacle(Obstacle.NotHeld.class, reinstate(a, tokens));
        acquire(Granted.class, wish(owner()));
    }

    @Test
    @Proves(Law.BREAK)
    void aBarredHoldMayStillBeReleased() {
        Owner a = owner();
        acquire(Granted.class, wish(a));
        committed(new Break(lease("l"), null, false));
        committed(release(a));
        acquire(Granted.class, wish(owner()));
    }

    @Test
    @Proves({Law.BREAK, Law.REFUSAL})
    void onlyTheHolderOfTheNamedTokenIsBroken() {
        Owner a = owner();
        Owner b = owner();
        Tokens first = acquire(Granted.class, wish(a).withShare(new Share(1, 2)).withTokens(4))
                .tokens();
        acquire(Granted.class, wish(b).withShare(new Share(1, 2)));
        obstacle(Obstacle.NotHeld.class, new Break(lease("l"), 1L, true));
        assertThat(holding(lease("l")).holds()).hasSize(2);
        committed(new Break(lease("l"), first.first() + 2, true));
        assertThat(holding(lease("l")).holds())
                .extracting(LeaseState.Hold::owner)
                .containsExactly(b);
    }

    @Test
    @Proves({Law.BREAK, Law.QUIET})
    void aBreakOfWhoeverHoldsIsNeverRefusedAndEndsTheQuiet() {
        committed(new Break(lease("l"), null, true));
        Owner a = owner();
        acquire(Granted.class, wish(a));
        committed(new Release(lease("l"), a, new Quiet(LONG, bytes("note"))));
        committed(new Break(lease("l"), null, true));
        acquire(Granted.class, wish(owner()));
        Owner b = owner();
        committed(new Break(lease("l"), null, true));
        acquire(Granted.class, wish(b).withShare(new Share(1, 2)));
        acquire(Granted.class, wish(owner()).withShare(new Share(1, 2)));
        committed(new Break(lease("l"), null, true));
        assertThat(holding(lease("l")).holds()).isEmpty();
    }

    @Test
    @Proves({Law.BREAK, Law.HANDOVER})
    void aLeaseBrokenAtOncePassesToTheLine() {
        acquire(Granted.class, wish(owner()));
        Owner next = owner();
        acquire(Busy.class, wish(next).withLine(new Line(LONG, LONG, Duration.ZERO)));
        committed(new Break(lease("l"), null, true));
        acquire(Busy.class, wish(owner()));
        acquire(Granted.class, wish(next));
    }

    // Take

    @Test
    @Proves({Law.TAKE, Law.ATOMIC})
    void takesOfOneCommitHappenTogetherOrNotAtAll() {
        Owner a = owner();
        Owner b = owner();
        Outcome.Taken taken = outcome(Outcome.Taken.class, new Take(wish(a)));
        assertThat(holding(lease("l")).holds())
                .extracting(LeaseState.Hold::tokens)
                .containsExactly(taken.tokens());
        Take other = new Take(LeaseRequest.of(lease("m"), b, LONG));
        Obstacle.LeaseTaken obstacle = obstacle(Obstacle.LeaseTaken.class, commit(other, new Take(wish(b))));
        assertThat(obstacle.index()).isEqualTo(1);
        assertThat(obstacle.now().holds()).extracting(LeaseState.Hold::owner).containsExactly(a);
        assertThat(holding(lease("m")).holds()).isEmpty();
        committed(release(a));
        assertThat(committed(other, new Take(wish(b))).outcomes()).hasOnlyElementsOfType(Outcome.Taken.class);
    }

    @Test
    @Proves({Law.TAKE, Law.QUIET})
    void aQuietLeaseIsTakenOnlyByWhoInsists() {
        Owner a = owner();
        committed(new Take(wish(a)));
        committed(new Release(lease("l"), a, new Quiet(LONG, bytes("note"))));
        Obstacle.LeaseTaken quiet = obstacle(Obstacle.LeaseTaken.class, new Take(wish(owner())));
        assertThat(quiet.now().quiet()).isPositive();
        committed(new Take(wish(owner()).withEvenIfQuiet(true)));
    }

    @Test
    @Proves({Law.TAKE, Law.CAPACITY_AGREED})
    void aTakeWithAnotherCapacityIsUnfit() {
        committed(new Take(wish(owner()).withShare(new Share(1, 2))));
        obstacle(Obstacle.Unfit.class, new Take(wish(owner()).withShare(new Share(1, 3))));
        committed(new Take(wish(owner()).withShare(new Share(1, 2))));
        obstacle(Obstacle.LeaseTaken.class, new Take(wish(owner()).withShare(new Share(1, 2))));
    }

    @Test
    @Proves({Law.TAKE, Law.PATIENCE})
    void aTakeDoesNotOvertakeASpentPatience() {
        Owner a = owner();
        acquire(Granted.class, wish(a));
        Owner waiter = owner();
        acquire(Busy.class, wish(waiter).withLine(new Line(LONG, LONG, Duration.ZERO)));
        committed(release(a));
        obstacle(Obstacle.LeaseTaken.class, new Take(wish(owner())));
        acquire(Granted.class, wish(waiter));
    }

    // Looking

    @Test
    @Proves(Law.OVERVIEW)
    void leasesThatAreHeldQuietOrWaitedForAreListedInPages() {
        List<LeaseName> names = new ArrayList<>();
        for (int i = 0; i < 7; i++) names.add(new LeaseName(partition(), name("list-" + i)));
        Owner waiter = owner();
        for (LeaseName lease : names) {
            Owner owner = owner();
            acquire(Granted.class, LeaseRequest.of(lease, owner, LONG));
            if (lease.equals(names.get(1))) committed(new Release(lease, owner, new Quiet(LONG, bytes("n"))));
            if (lease.equals(names.get(2))) {
                acquire(Busy.class, LeaseRequest.of(lease, waiter, LONG).withLine(new Line(LONG, LONG, LONG)));
                committed(new Release(lease, owner, Quiet.NONE));
            }
            if (lease.equals(names.get(3))) committed(new Release(lease, owner, Quiet.NONE));
        }
        acquire(Granted.class, LeaseRequest.of(lease("other"), owner(), LONG));
        List<LeaseName> listed = new ArrayList<>();
        LeaseName after = null;
        for (int page = 0; page < 20; page++) {
            List<LeaseState> states = inspect(new Inspection.Leases(name("list-"), 2, after));
            if (states.isEmpty()) break;
            assertThat(states).as("one page").hasSizeLessThanOrEqualTo(2);
            states.forEach(state -> listed.add(state.lease()));
            after = states.get(states.size() - 1).lease();
        }
        names.remove(3);
        assertThat(listed).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    @Proves(Law.OVERVIEW)
    void anInspectionTellsHowLongSomebodyHoldsAndWhoWaits() {
        acquire(Granted.class, wish(owner()));
        acquire(Busy.class, wish(owner()).withLine(new Line(LONG, LONG, LONG)));
        pass(term());
        LeaseState state = holding(lease("l"));
        assertThat(state.lease()).isEqualTo(lease("l"));
        assertThat(state.waiting()).isEqualTo(1);
        LeaseState.Hold hold = state.holds().get(0);
        assertThat(hold.held()).isGreaterThanOrEqualTo(term()).isLessThan(LONG);
        assertThat(hold.remaining()).isPositive().isLessThanOrEqualTo(LONG.minus(term()));
        assertThat(hold.weight()).isEqualTo(1);
    }
}
