// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import static dev.bellwether.testkit.model.Sheet.ANN;
import static dev.bellwether.testkit.model.Sheet.BOB;
import static dev.bellwether.testkit.model.Sheet.CID;
import static dev.bellwether.testkit.model.Sheet.LEASE;
import static dev.bellwether.testkit.model.Sheet.seconds;
import static dev.bellwether.testkit.model.Sheet.waiting;
import static dev.bellwether.testkit.model.Sheet.wish;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseMutation.Take;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Share;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Tokens;
import dev.bellwether.spi.Version;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class LeasesTest {
    private final Sheet sheet = new Sheet();

    private Tokens granted(LeaseRequest request) {
        return ((Acquisition.Granted) sheet.acquire(request)).tokens();
    }

    private Acquisition.Busy busy(LeaseRequest request) {
        return (Acquisition.Busy) sheet.acquire(request);
    }

    private void release(Owner owner, Quiet quiet) {
        sheet.done(new Release(LEASE, owner, quiet));
    }

    private void release(Owner owner) {
        release(owner, Quiet.NONE);
    }

    @Test
    void s4_askingAgainGivesTheSameTokensAndALongerTerm() {
        Tokens first = granted(wish(ANN));
        sheet.time.advance(seconds(4));
        assertThat(granted(wish(ANN))).isEqualTo(first);
        assertThat(sheet.lease().holds().get(0).remaining()).isEqualTo(seconds(10));
    }

    @Test
    void s4_aLateDuplicateOfAnEndedOwnerIsToldSo() {
        granted(wish(ANN));
        release(ANN);
        assertThat(sheet.acquire(wish(ANN))).isInstanceOf(Acquisition.Ended.class);
        assertThat(sheet.refused(new Take(wish(ANN))).get(0)).isInstanceOf(Obstacle.LeaseTaken.class);
    }

    @Test
    void l2_tokenRangesGrowAcrossReleaseAndClockStepsBack() {
        Tokens ann = granted(wish(ANN).withTokens(33));
        release(ANN);
        sheet.time.stepWallClock(seconds(-5));
        Tokens bob = granted(wish(BOB));
        assertThat(ann.last() - ann.first()).isEqualTo(32);
        assertThat(bob.first()).isEqualTo(ann.last() + 1);
    }

    @Test
    void theHoldEndsExactlyAtItsDeadline() {
        granted(wish(ANN));
        sheet.time.advance(seconds(10).minusNanos(1_000));
        assertThat(busy(wish(BOB)).remaining()).isEqualTo(Duration.ofNanos(1_000));
        sheet.time.advance(Duration.ofNanos(1_000));
        granted(wish(BOB));
    }

    @Test
    void l5_aSpentPatienceHandsTheLeaseAndTheHeadConfirmsIt() {
        granted(wish(ANN));
        assertThat(busy(waiting(BOB, Duration.ZERO)).place()).isZero();
        assertThat(busy(waiting(CID, Duration.ZERO)).place()).isEqualTo(1);
        release(ANN);
        assertThat(sheet.hints).contains(new Hint.Passed(LEASE, BOB));
        assertThat(sheet.lease().holds().get(0).confirmed()).isFalse();
        assertThat(sheet.lease().holds().get(0).remaining()).isEqualTo(seconds(2));
        granted(waiting(BOB, Duration.ZERO));
        assertThat(sheet.lease().holds().get(0).confirmed()).isTrue();
        assertThat(sheet.lease().holds().get(0).remaining()).isEqualTo(seconds(10));
    }

    @Test
    void anUnconfirmedGrantLapsesAndItsOwnerIsAnsweredEnded() {
        granted(wish(ANN));
        busy(waiting(BOB, Duration.ZERO));
        release(ANN);
        sheet.time.advance(seconds(2));
        assertThat(sheet.acquire(waiting(BOB, Duration.ZERO))).isInstanceOf(Acquisition.Ended.class);
    }

    @Test
    void aNewcomerOvertakesAPatientHeadButNotAnImpatientOne() {
        granted(wish(ANN));
        busy(waiting(BOB, seconds(1)));
        release(ANN);
        assertThat(sheet.hints).contains(new Hint.Passed(LEASE, BOB));
        granted(wish(CID));
        sheet.time.advance(seconds(1));
        release(CID);
        assertThat(sheet.lease().holds().get(0).owner()).isEqualTo(BOB);
    }

    @Test
    void whoAsksWhenAHolderHasExpiredMakesTheStoreHandTheLeaseToTheHead() {
        granted(wish(ANN));
        busy(waiting(BOB, Duration.ZERO));
        sheet.time.advance(seconds(10));
        assertThat(busy(wish(CID)).place()).isEqualTo(-1);
        assertThat(sheet.lease().holds().get(0).owner()).isEqualTo(BOB);
    }

    @Test
    void aHeadThatDoesNotFitBlocksThoseBehindIt() {
        granted(wish(ANN).withShare(new Share(1, 3)));
        busy(waiting(BOB, Duration.ZERO).withShare(new Share(3, 3)));
        assertThat(busy(waiting(CID, Duration.ZERO).withShare(new Share(1, 3))).place())
                .isEqualTo(1);
    }

    @Test
    void anotherCapacityIsRefusedWhileHeldAndUnfitInACommit() {
        granted(wish(ANN).withShare(new Share(1, 3)));
        LeaseRequest other = wish(BOB).withShare(new Share(1, 2));
        assertThat(sheet.acquire(other)).isInstanceOf(Acquisition.Refused.class);
        assertThat(sheet.refused(new Take(other)).get(0)).isInstanceOf(Obstacle.Unfit.class);
    }

    @Test
    void aQuietNameAnswersItsNoteUntilSomebodyInsists() {
        Tokens ann = granted(wish(ANN).withRetain(Duration.ZERO));
        release(ANN, new Quiet(seconds(3), Bytes.utf8("why")));
        var hushed = (Acquisition.Hushed) sheet.acquire(wish(BOB));
        assertThat(hushed.note()).isEqualTo(Bytes.utf8("why"));
        assertThat(hushed.lastToken()).isEqualTo(ann.last());
        assertThat(hushed.remaining()).isEqualTo(seconds(3));
        granted(wish(BOB).withEvenIfQuiet(true));
        assertThat(sheet.lease().quiet()).isZero();
    }

    @Test
    void anEntryWithAnotherVersionIsFoundInsteadOfTheLease() {
        KvKey key = new KvKey(LEASE.partition(), Bytes.utf8("entry"));
        LeaseRequest wish = wish(ANN).withUnless(new LeaseRequest.Unless(key, Version.NONE));
        Version version = sheet.done(new Put(key, Bytes.EMPTY, Expiry.NEVER)).version();
        assertThat(sheet.acquire(wish)).isInstanceOf(Acquisition.Found.class);
        granted(wish(ANN).withUnless(new LeaseRequest.Unless(key, version)));
    }

    @Test
    void l3_aBarredHoldCannotBeRenewedAndEndsByItsOwnTime() {
        Tokens ann = granted(wish(ANN));
        sheet.done(new Break(LEASE, ann.first(), false));
        assertThat(sheet.refused(new Renew(LEASE, ANN, seconds(10), ann)).get(0))
                .isInstanceOf(Obstacle.NotHeld.class);
        sheet.time.advance(seconds(9));
        assertThat(sheet.acquire(wish(ANN))).isInstanceOf(Acquisition.Granted.class);
        assertThat(busy(wish(BOB)).remaining()).isEqualTo(seconds(1));
    }

    @Test
    void m2_aBrokenHoldIsNotReinstated() {
        Tokens ann = granted(wish(ANN));
        sheet.done(new Break(LEASE, null, true));
        assertThat(sheet.refused(new Renew(LEASE, ANN, seconds(10), ann)).get(0))
                .isInstanceOf(Obstacle.NotHeld.class);
        assertThat(granted(wish(BOB)).first()).isGreaterThan(ann.last() + 1);
    }

    @Test
    void aForgottenHoldIsReinstatedUnlessALaterTokenWasGranted() {
        Tokens ann = granted(wish(ANN));
        sheet.backend.store().restore(StoreState.empty());
        sheet.done(new Renew(LEASE, ANN, seconds(10), ann));
        assertThat(sheet.lease().holds().get(0).tokens()).isEqualTo(ann);
        release(ANN);
        granted(wish(BOB));
        release(BOB);
        assertThat(sheet.refused(new Renew(LEASE, ANN, seconds(10), ann))).hasSize(1);
    }

    @Test
    void l3_aReleaseByAnotherOwnerIsRefusedAndALeaveNever() {
        granted(wish(ANN));
        assertThat(sheet.refused(new Release(LEASE, BOB, Quiet.NONE)).get(0)).isInstanceOf(Obstacle.NotHeld.class);
        sheet.done(new Leave(LEASE, BOB));
        assertThat(sheet.lease().holds()).hasSize(1);
        sheet.done(new Leave(LEASE, ANN));
        assertThat(sheet.lease().holds()).isEmpty();
    }

    @Test
    void aTicketIsExtendedOnlyWhenHalfOfItIsSpentAndEndsOtherwise() {
        granted(wish(ANN).withShare(Share.WHOLE));
        busy(waiting(BOB, seconds(100)));
        for (int i = 0; i < 12; i++) {
            sheet.time.advance(seconds(5));
            granted(wish(ANN));
        }
        assertThat(sheet.lease().waiting()).isZero();
        busy(waiting(BOB, seconds(100)));
        for (int i = 0; i < 20; i++) {
            sheet.time.advance(seconds(5));
            granted(wish(ANN));
            assertThat(busy(waiting(BOB, seconds(100))).place()).isZero();
        }
    }
}
