// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Acquisition.Busy;
import dev.bellwether.spi.Acquisition.Ended;
import dev.bellwether.spi.Acquisition.Found;
import dev.bellwether.spi.Acquisition.Granted;
import dev.bellwether.spi.Acquisition.Hushed;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Unless;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Tokens;
import dev.bellwether.spi.Version;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Who holds a lease, for how long, with which tokens, and what a commit may do under it. */
public abstract class LeaseContract extends BackendContract {
    protected LeaseContract() {}

    private LeaseRequest wish(Owner owner) {
        return LeaseRequest.of(lease("l"), owner, LONG);
    }

    private LeaseRequest wish(Owner owner, Duration ttl) {
        return LeaseRequest.of(lease("l"), owner, ttl);
    }

    private Owner holder() {
        Owner owner = owner();
        acquire(Granted.class, wish(owner));
        return owner;
    }

    private Release release(Owner owner) {
        return new Release(lease("l"), owner, Quiet.NONE);
    }

    private Renew renew(Owner owner) {
        return new Renew(lease("l"), owner, LONG, null);
    }

    private LeaseState.Hold onlyHold() {
        List<LeaseState.Hold> holds = holding(lease("l")).holds();
        assertThat(holds).as("who holds").hasSize(1);
        return holds.get(0);
    }

    @Test
    @Proves(Law.EXCLUSIVE)
    void aHeldLeaseIsNotGrantedToAnother() {
        Owner a = owner();
        Tokens tokens = acquire(Granted.class, wish(a)).tokens();
        Busy busy = acquire(Busy.class, wish(owner()));
        assertThat(busy.holderToken()).as("the token of the holder").isEqualTo(tokens.first());
        assertThat(busy.remaining()).isPositive().isLessThanOrEqualTo(LONG);
        assertThat(busy.place()).as("the place of who did not want one").isEqualTo(-1);
        LeaseState.Hold hold = onlyHold();
        assertThat(hold.owner()).isEqualTo(a);
        assertThat(hold.tokens()).isEqualTo(tokens);
        assertThat(hold.confirmed()).isTrue();
        assertThat(holding(lease("l")).waiting()).isZero();
    }

    @Test
    @Proves({Law.EXCLUSIVE, Law.RELEASE})
    void aReleasedLeaseIsFree() {
        committed(release(holder()));
        assertThat(holding(lease("l")).holds()).isEmpty();
        acquire(Granted.class, wish(owner()));
    }

    @Test
    @Proves(Law.EXCLUSIVE)
    void leasesOfDifferentNamesAndPartitionsDoNotMeet() {
        holder();
        acquire(Granted.class, LeaseRequest.of(lease("other"), owner(), LONG));
        acquire(Granted.class, LeaseRequest.of(LeaseName.of(name("l")), owner(), LONG));
    }

    @Test
    @Proves({Law.TERM, Law.EXCLUSIVE})
    void aHoldEndsAtItsTermAndNotBefore() {
        Owner a = owner();
        acquire(Granted.class, wish(a, term()));
        List<Check> held = List.of(new Check.Held(lease("l"), a));
        runOut(term(), () -> {
            acquire(Busy.class, wish(owner()));
            committed(commit(held, put(key("k"), "a")));
        });
        obstacle(Obstacle.NotHeld.class, commit(held, put(key("k"), "b")));
        assertThat(holding(lease("l")).holds()).isEmpty();
        acquire(Granted.class, wish(owner()));
    }

    @Test
    @Proves(Law.TERM)
    void askingAgainNeverShortensATerm() {
        Owner a = holder();
        acquire(Granted.class, wish(a, term()));
        pass(term().multipliedBy(2));
        acquire(Busy.class, wish(owner()));
    }

    @Test
    @Proves(Law.TERM)
    void askingAgainProlongsATerm() {
        Owner a = owner();
        Tokens tokens = acquire(Granted.class, wish(a, term())).tokens();
        assertThat(acquire(Granted.class, wish(a)).tokens()).isEqualTo(tokens);
        pass(term().multipliedBy(2));
        acquire(Busy.class, wish(owner()));
    }

    @Test
    @Proves(Law.TERM)
    void aTermOfAnyLengthIsKept() {
        for (Duration far : List.of(Duration.ofDays(300 * 365L), Duration.ofSeconds(Long.MAX_VALUE))) {
            Owner a = owner();
            acquire(Granted.class, wish(a, far));
            acquire(Busy.class, wish(owner()));
            committed(new Renew(lease("l"), a, far, null));
            acquire(Busy.class, wish(owner()));
            committed(release(a));
        }
    }

    // Tokens

    @Test
    @Proves({Law.TOKENS, Law.VERSIONS})
    void tokensGrowAcrossReleaseExpiryAndLeave() {
        long last = 0;
        for (int i = 0; i < 3; i++) {
            last = grown(last, owner(), 1, this::release);
            last = grown(last, owner(), 33, owner -> new Leave(lease("l"), owner));
            Tokens tokens =
                    acquire(Granted.class, wish(owner(), term()).withTokens(5)).tokens();
            assertThat(tokens.first()).isGreaterThan(last);
            last = tokens.last();
            pass(term());
        }
    }

    private long grown(long last, Owner owner, int tokens, Function<Owner, Mutation> end) {
        Tokens granted = acquire(Granted.class, wish(owner).withTokens(tokens)).tokens();
        assertThat(granted.first()).as("the first token of the next holder").isGreaterThan(last);
        assertThat(granted.last() - granted.first() + 1).as("tokens granted").isEqualTo(tokens);
        assertThat(holding(lease("l")).lastToken()).isEqualTo(granted.last());
        committed(end.apply(owner));
        return granted.last();
    }

    @Test
    @Proves(Law.TOKENS)
    void tokensGrowAlsoWhenTheCounterWasNotRetained() {
        Owner a = owner();
        Tokens one = acquire(Granted.class, wish(a).withRetain(Duration.ZERO)).tokens();
        committed(release(a));
        pass(MILLI);
        Tokens two = acquire(Granted.class, wish(owner()).withRetain(term())).tokens();
        assertThat(two.first()).isGreaterThan(one.last());
        committed(new Leave(lease("l"), onlyHold().owner()));
        pass(term().multipliedBy(2));
        assertThat(acquire(Granted.class, wish(owner())).tokens().first()).isGreaterThan(two.last());
    }

    @Test
    @Proves(Law.ENDED)
    void whoseHoldIsOverIsToldSo() {
        Owner released = holder();
        committed(release(released));
        acquire(Ended.class, wish(released));
        Owner left = holder();
        committed(new Leave(lease("l"), left));
        acquire(Ended.class, wish(left));
        Owner expired = owner();
        acquire(Granted.class, wish(expired, term()));
        pass(term());
        acquire(Ended.class, wish(expired));
        assertThat(holding(lease("l")).holds()).isEmpty();
    }

    // Renewal and release

    @Test
    @Proves(Law.RENEWAL)
    void aRenewalBeginsANewTerm() {
        Owner a = owner();
        acquire(Granted.class, wish(a, term()));
        assertThat(outcome(Outcome.Renewed.class, renew(a)).waiting()).isZero();
        pass(term().multipliedBy(2));
        acquire(Busy.class, wish(owner()));
        assertThat(onlyHold().owner()).isEqualTo(a);
    }

    @Test
    @Proves({Law.RENEWAL, Law.REFUSAL})
    void aHoldThatIsOverIsNotRenewed() {
        Owner released = holder();
        committed(release(released));
        obstacle(Obstacle.NotHeld.class, renew(released));
        Owner expired = owner();
        acquire(Granted.class, wish(expired, term()));
        pass(term());
        obstacle(Obstacle.NotHeld.class, renew(expired));
        assertThat(holding(lease("l")).holds()).isEmpty();
        Owner next = holder();
        LeaseState there = obstacle(Obstacle.NotHeld.class, renew(expired)).now();
        assertThat(there.holds()).extracting(LeaseState.Hold::owner).containsExactly(next);
    }

    @Test
    @Proves({Law.RENEWAL, Law.RELEASE, Law.REFUSAL})
    void aStrangerNeitherRenewsNorReleases() {
        Owner a = holder();
        obstacle(Obstacle.NotHeld.class, renew(owner()));
        obstacle(Obstacle.NotHeld.class, release(owner()));
        obstacle(Obstacle.NotHeld.class, release(new Owner(a.process(), a.counter() + 1)));
        committed(new Leave(lease("l"), owner()));
        assertThat(onlyHold().owner()).isEqualTo(a);
        acquire(Busy.class, wish(owner()));
    }

    @Test
    @Proves({Law.RELEASE, Law.REFUSAL})
    void aLateReleaseDoesNotHarmTheNextHolder() {
        Owner late = owner();
        acquire(Granted.class, wish(late, term()));
        pass(term());
        obstacle(Obstacle.NotHeld.class, release(late));
        Owner next = holder();
        obstacle(Obstacle.NotHeld.class, release(late));
        obstacle(Obstacle.NotHeld.class, new Release(lease("l"), late, new Quiet(LONG, bytes("note"))));
        committed(new Leave(lease("l"), late));
        assertThat(onlyHold().owner()).isEqualTo(next);
    }

    // The fence

    @Test
    @Proves({Law.FENCE, Law.ATOMIC})
    void aFencedCommitIsRefusedOnceTheHoldIsLost() {
        Owner a = owner();
        acquire(Granted.class, wish(a, term()));
        List<Check> held = List.of(new Check.Held(lease("l"), a));
        committed(put(key("k"), "before"));
        pass(term());
        obstacle(Obstacle.NotHeld.class, commit(held, put(key("k"), "lost")));
        holder();
        obstacle(Obstacle.NotHeld.class, commit(held, put(key("k"), "lost")));
        obstacle(Obstacle.NotHeld.class, commit(put(key("k"), "lost"), release(a)));
        obstacle(Obstacle.NotHeld.class, commit(put(key("k"), "lost"), renew(a)));
        assertValue(key("k"), "before");
    }

    @Test
    @Proves(Law.FENCE)
    void aFillHappensWithTheReleaseOfItsHold() {
        Owner a = holder();
        committed(commit(List.of(new Check.Held(lease("l"), a)), put(key("k"), "v"), release(a)));
        assertValue(key("k"), "v");
        assertThat(holding(lease("l")).holds()).isEmpty();
    }

    // Unless

    @Test
    @Proves({Law.UNLESS, Law.REFUSAL})
    void anEntryThatStandsThereIsAnsweredInsteadOfAGrant() {
        committed(put(key("k"), "v"));
        Owner a = owner();
        Found found = acquire(Found.class, wish(a).withUnless(new Unless(key("k"), Version.NONE)));
        assertThat(found.entry()).isEqualTo(present(key("k")));
        assertThat(holding(lease("l")).holds()).isEmpty();
        acquire(
                Granted.class,
                wish(a).withUnless(new Unless(key("k"), present(key("k")).version())));
        committed(put(key("k"), "later"));
        acquire(
                Found.class,
                wish(a).withUnless(new Unless(key("k"), found.entry().version())));
    }

    @Test
    @Proves(Law.UNLESS)
    void whatIsAbsentDeletedOrExpiredDoesNotHinderAGrant() {
        Unless unless = new Unless(key("k"), Version.NONE);
        Owner a = owner();
        acquire(Granted.class, wish(a).withUnless(unless));
        committed(release(a), new Delete(key("k"), LONG));
        Owner b = owner();
        acquire(Granted.class, wish(b).withUnless(unless));
        committed(release(b), put(key("k"), "v", Expiry.after(term())));
        pass(term());
        acquire(Granted.class, wish(owner()).withUnless(unless));
    }

    // Quiet

    @Test
    @Proves(Law.QUIET)
    void aQuietLeaseAnswersItsNoteUntilItsTimeEnds() {
        Owner a = owner();
        Tokens tokens = acquire(Granted.class, wish(a)).tokens();
        committed(new Release(lease("l"), a, new Quiet(term(), bytes("note"))));
        assertHushed(acquire(Hushed.class, wish(owner())), tokens, term());
        runOut(term(), () -> assertHushed(acquire(Hushed.class, wish(owner())), tokens, MILLI));
        acquire(Granted.class, wish(owner()));
    }

    private void assertHushed(Hushed hushed, Tokens tokens, Duration most) {
        assertThat(hushed.note()).isEqualTo(bytes("note"));
        assertThat(hushed.lastToken()).isEqualTo(tokens.last());
        assertThat(hushed.remaining()).isPositive().isLessThanOrEqualTo(most);
    }

    @Test
    @Proves(Law.QUIET)
    void whoInsistsTakesAQuietLeaseAndEndsTheQuiet() {
        Owner a = holder();
        committed(new Release(lease("l"), a, new Quiet(LONG, bytes("note"))));
        Owner b = owner();
        assertThat(holding(lease("l")).quiet()).isPositive();
        acquire(Granted.class, wish(b).withEvenIfQuiet(true));
        acquire(Busy.class, wish(owner()));
        committed(release(b));
        acquire(Granted.class, wish(owner()));
    }

    @Test
    @Proves({Law.QUIET, Law.LINE})
    void aQuietLeaseGivesNoPlaceInLine() {
        Owner a = holder();
        committed(new Release(lease("l"), a, new Quiet(LONG, bytes("note"))));
        acquire(Hushed.class, wish(owner()).withLine(new LeaseRequest.Line(LONG, LONG, Duration.ZERO)));
        assertThat(holding(lease("l")).waiting()).isZero();
    }
}
