// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Acquisition.Busy;
import dev.bellwether.spi.Acquisition.Ended;
import dev.bellwether.spi.Acquisition.Granted;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation.Count;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Op;
import dev.bellwether.spi.EntryMutation.Overflow;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Line;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Bury;
import dev.bellwether.spi.QueueMutation.Extend;
import dev.bellwether.spi.QueueMutation.Move;
import dev.bellwether.spi.QueueMutation.Retry;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Receipt;
import dev.bellwether.spi.RequestId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each kind of request sent twice, and once more after other things happened: the effect is that of once. */
public abstract class IdempotenceContract extends QueueFixture {
    protected IdempotenceContract() {}

    private CommitReply.Committed again(Commit commit, CommitReply.Committed first) {
        CommitReply.Committed again = committed(commit);
        assertThat(again.version()).as("the version, as answered before").isEqualTo(first.version());
        assertThat(again.outcomes()).as("the outcomes, as answered before").isEqualTo(first.outcomes());
        return again;
    }

    @Test
    @Proves(Law.COMMIT_TWICE)
    void aCountIsCountedOnce() {
        Commit count = commit(new Count(key("n"), Op.ADD, 5, Overflow.FAIL, Expiry.NEVER));
        CommitReply.Committed first = committed(count);
        again(count, first);
        committed(new Count(key("n"), Op.ADD, 1, Overflow.FAIL, Expiry.NEVER));
        again(count, first);
        assertThat(present(key("n")).value()).isEqualTo(Counter.encode(6));
    }

    @Test
    @Proves(Law.COMMIT_TWICE)
    void aBlindPutDoesNotUndoAnothersWrite() {
        Commit mine = commit(put(key("k"), "mine"), new Delete(key("gone"), LONG));
        CommitReply.Committed first = committed(mine);
        committed(put(key("k"), "theirs"), put(key("gone"), "back"));
        again(mine, first);
        assertValue(key("k"), "theirs");
        assertValue(key("gone"), "back");
    }

    @Test
    @Proves(Law.COMMIT_TWICE)
    void aCheckedCommitAnswersItsSuccessAgain() {
        Commit create = commit(List.of(new Check.Vacant(key("k"), true)), put(key("k"), "v"));
        CommitReply.Committed first = committed(create);
        again(create, first);
        committed(new Delete(key("k"), Duration.ZERO));
        again(create, first);
        absent(key("k"));
    }

    @Test
    @Proves(Law.COMMIT_TWICE)
    void aConflictIsNotRemembered() {
        committed(put(key("k"), "there"));
        Commit create = commit(List.of(new Check.Vacant(key("k"), false)), put(key("k"), "v"));
        refused(create);
        refused(create);
        committed(new Delete(key("k"), Duration.ZERO));
        committed(create);
        assertValue(key("k"), "v");
    }

    @Test
    @Proves(Law.COMMIT_TWICE)
    void aCommitIsRememberedForTheStatedTimeAtLeast() {
        if (!exact()) return; // half a minute is too long to wait for in earnest
        Commit count = commit(new Count(key("n"), Op.ADD, 5, Overflow.FAIL, Expiry.NEVER));
        CommitReply.Committed first = committed(count);
        pass(backend().capabilities().limits().memory().minus(MILLI));
        again(count, first);
        assertThat(present(key("n")).value()).isEqualTo(Counter.encode(5));
    }

    @Test
    @Proves(Law.COMMIT_TWICE)
    void requestsOfOneProcessAndOfOneCounterAreDifferent() {
        RequestId id = id();
        Count count = new Count(key("n"), Op.ADD, 1, Overflow.FAIL, Expiry.NEVER);
        committed(new Commit(id, List.of(), List.of(count)));
        committed(new Commit(new RequestId(id.process(), id.counter() + 1), List.of(), List.of(count)));
        committed(new Commit(new RequestId(fresh(), id.counter()), List.of(), List.of(count)));
        assertThat(present(key("n")).value()).isEqualTo(Counter.encode(3));
    }

    // Leases

    private LeaseRequest wish(Owner owner) {
        return LeaseRequest.of(lease("l"), owner, LONG);
    }

    @Test
    @Proves(Law.LEASE_TWICE)
    void anAcquireThatIsSentAgainGivesTheSameTokens() {
        Owner a = owner();
        Granted first = acquire(Granted.class, wish(a).withTokens(33));
        assertThat(acquire(Granted.class, wish(a).withTokens(33)).tokens()).isEqualTo(first.tokens());
        assertThat(holding(lease("l")).holds()).hasSize(1);
        committed(new Release(lease("l"), a, Quiet.NONE));
        acquire(Ended.class, wish(a));
        assertThat(holding(lease("l")).holds()).isEmpty();
    }

    @Test
    @Proves({Law.LEASE_TWICE, Law.CAPACITY})
    void anAcquireThatIsSentAgainTakesItsWeightOnce() {
        LeaseRequest two = wish(owner()).withShare(new LeaseRequest.Share(2, 4));
        acquire(Granted.class, two);
        acquire(Granted.class, two);
        acquire(Granted.class, wish(owner()).withShare(new LeaseRequest.Share(2, 4)));
    }

    @Test
    @Proves({Law.LEASE_TWICE, Law.LINE})
    void aWishThatIsSentAgainHasOnePlaceInLine() {
        acquire(Granted.class, wish(owner()));
        Owner waiter = owner();
        for (int i = 0; i < 3; i++) {
            assertThat(acquire(Busy.class, wish(waiter).withLine(new Line(LONG, LONG, LONG)))
                            .place())
                    .isZero();
        }
        assertThat(holding(lease("l")).waiting()).isEqualTo(1);
    }

    @Test
    @Proves(Law.LEASE_TWICE)
    void renewReleaseAndLeaveMayBeSentAgain() {
        Owner a = owner();
        acquire(Granted.class, wish(a));
        Commit renew = Commit.of(new Renew(lease("l"), a, LONG, null));
        committed(renew);
        committed(renew);
        Commit release = Commit.of(new Release(lease("l"), a, Quiet.NONE));
        committed(release);
        obstacle(Obstacle.NotHeld.class, release);
        Owner b = owner();
        acquire(Granted.class, wish(b));
        obstacle(Obstacle.NotHeld.class, release);
        obstacle(Obstacle.NotHeld.class, renew);
        Commit leave = Commit.of(new Leave(lease("l"), a));
        committed(leave);
        committed(leave);
        assertThat(holding(lease("l")).holds())
                .extracting(LeaseState.Hold::owner)
                .containsExactly(b);
    }

    @Test
    @Proves({Law.LEASE_TWICE, Law.COMMIT_TWICE, Law.RELEASE})
    void aReleaseWithAnIdAnswersItsSuccessAgainAndHarmsNobody() {
        Owner a = owner();
        acquire(Granted.class, wish(a));
        Commit release = commit(put(key("k"), "filled"), new Release(lease("l"), a, Quiet.NONE));
        CommitReply.Committed first = committed(release);
        Owner b = owner();
        acquire(Granted.class, wish(b));
        committed(put(key("k"), "later"));
        again(release, first);
        assertThat(holding(lease("l")).holds())
                .extracting(LeaseState.Hold::owner)
                .containsExactly(b);
        assertValue(key("k"), "later");
    }

    // Queues

    @Test
    @Proves({Law.ENQUEUE_TWICE, Law.COMMIT_TWICE})
    void anEnqueueThatIsSentAgainAddsNothing() {
        Commit enqueue = commit(enqueue(queue(), "a", "b"));
        CommitReply.Committed first = committed(enqueue);
        again(enqueue, first);
        assertThat(payloads(claim(1))).containsExactly("a");
        again(enqueue, first);
        assertThat(payloads(claim(10))).containsExactly("b");
    }

    @Test
    @Proves(Law.CLAIM_TWICE)
    void aClaimThatIsSentAgainGivesTheSameDeliveries() {
        add(message("a"), message("b"), message("c"));
        ClaimRequest request = request(consumer, 2, LONG, Duration.ZERO);
        Claim first = claim(request);
        Claim again = claim(request);
        assertThat(again.handouts()).isEqualTo(first.handouts()).hasSize(2);
        assertFigures(1, 0, 0, 2, 0);
        add(message("d"));
        assertThat(claim(request).handouts()).isEqualTo(first.handouts());
        Consumer other = new Consumer();
        assertThat(payloads(claim(request(other, 10, LONG, Duration.ZERO)))).containsExactly("c", "d");
        assertThat(claim(request).handouts()).isEqualTo(first.handouts());
    }

    @Test
    @Proves({Law.CLAIM_TWICE, Law.SETTLE_TWICE})
    void aClaimThatIsSentAgainAnswersItsSettlementsAgain() {
        add(message("a"), message("b"));
        Receipt a = taken();
        ClaimRequest request = request(consumer, 1, LONG, Duration.ZERO, new Ack(a));
        Claim first = claim(request);
        Claim again = claim(request);
        assertThat(first.settled()).containsExactly(true);
        assertThat(again.settled()).isEqualTo(first.settled());
        assertThat(again.handouts()).isEqualTo(first.handouts());
        assertFigures(0, 0, 0, 1, 0);
    }

    @Test
    @Proves(Law.CLAIM_TWICE)
    void anEmptyClaimThatIsSentAgainLosesNothing() {
        ClaimRequest request = request(consumer, 1, LONG, Duration.ZERO);
        claim(request);
        add(message("a"));
        Claim again = claim(request);
        Claim next = claim(1);
        assertThat(again.handouts().size() + next.handouts().size())
                .as("deliveries of one message")
                .isEqualTo(1);
    }

    @Test
    @Proves(Law.SETTLE_TWICE)
    void settlementsThatAreSentAgainChangeNothing() {
        add(message("a"));
        Ack ack = new Ack(taken());
        assertThat(settle(ack)).isTrue();
        assertThat(settle(ack)).isFalse();
        add(message("b"));
        Retry retry = new Retry(taken(), Duration.ZERO, true);
        assertThat(settle(retry)).isTrue();
        assertThat(settle(retry)).isFalse();
        Claim claim = claim(1);
        assertThat(only(claim).failures()).as("counted once").isEqualTo(1);
        assertThat(settle(retry)).as("after the next delivery").isFalse();
        Extend extend = new Extend(only(claim).receipt(), LONG);
        assertThat(settle(extend)).isTrue();
        assertThat(settle(extend)).isTrue();
        Bury bury = new Bury(only(claim).receipt(), "bad", bytes(""));
        assertThat(settle(bury)).isTrue();
        assertThat(settle(bury)).isFalse();
        assertFigures(0, 0, 0, 0, 1);
    }

    @Test
    @Proves({Law.SETTLE_TWICE, Law.STALE})
    void aLateAckAfterAFailureIsRefused() {
        add(message("a"));
        Receipt receipt = taken();
        assertThat(settle(new Retry(receipt, LONG, true))).isTrue();
        assertThat(settle(new Ack(receipt))).isFalse();
        obstacle(Obstacle.Stale.class, new Ack(receipt));
        assertFigures(0, 1, 0, 0, 0);
    }

    @Test
    @Proves({Law.SETTLE_TWICE, Law.COMMIT_TWICE})
    void aSettlingCommitWithAnIdAnswersItsSuccessAgain() {
        add(message("a"));
        Commit complete = commit(new Ack(taken()), put(key("k"), "done"));
        CommitReply.Committed first = committed(complete);
        again(complete, first);
        Mutation move = new Move(queue(), add(message("b")), LONG);
        Commit moved = commit(move);
        assertThat(committed(moved).outcomes()).containsExactly(Outcome.DONE);
        committed(moved);
        assertFigures(0, 1, 0, 0, 0);
    }
}
