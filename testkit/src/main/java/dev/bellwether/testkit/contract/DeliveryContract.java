// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Check;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Claim.Handout;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Bury;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueMutation.Extend;
import dev.bellwether.spi.QueueMutation.Move;
import dev.bellwether.spi.QueueMutation.Remove;
import dev.bellwether.spi.QueueMutation.Retry;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.spi.Receipt;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The life of a delivery: held, lapsed, given back, buried, and effects that happen with its end. */
public abstract class DeliveryContract extends QueueFixture {
    protected DeliveryContract() {}

    @Test
    @Proves({Law.ONCE, Law.REDELIVERY})
    void aDeliveryIsInvisibleUntilItsLeaseLapses() {
        add(crashing("m", 3, Duration.ZERO));
        Receipt first = taken(term());
        runOut(term(), this::assertNothingDue);
        Handout again = only(claim(10));
        assertThat(again.receipt().id()).isEqualTo(first.id());
        assertThat(again.receipt().delivery()).as("the second delivery").isEqualTo(2);
        assertThat(again.crashes()).isEqualTo(1);
        assertThat(again.failures()).isZero();
        assertThat(again.payload()).isEqualTo(bytes("m"));
    }

    @Test
    @Proves(Law.REDELIVERY)
    void aLapsedDeliveryWaitsAsItsPolicySays() {
        add(crashing("m", 3, LONG));
        taken(term());
        pass(term());
        assertNothingDue();
        assertFigures(0, 1, 0, 0, 0);
    }

    @Test
    @Proves({Law.REDELIVERY, Law.DEAD_LETTERS})
    void aMessageWhoseDeliveriesLapseTooOftenIsBuried() {
        MessageId id = add(crashing("m", 1, Duration.ZERO));
        taken(term());
        pass(term());
        Claim second = claim(1, term());
        assertThat(second.buried()).isEmpty();
        assertThat(only(second).crashes()).isEqualTo(1);
        pass(term());
        Claim third = claim(1);
        assertThat(third.handouts()).isEmpty();
        assertThat(third.buried()).containsExactly(id);
        assertFigures(0, 0, 0, 0, 1);
        Inspection.Letter letter = letter(id);
        assertThat(letter.reason()).contains("crashed");
        assertThat(letter.crashes()).isEqualTo(2);
        assertThat(letter.deliveries()).isEqualTo(2);
    }

    @Test
    @Proves(Law.BOUND)
    void aClaimTakesAtMostWhatItAskedForAndSettlesEachByItself() {
        for (int i = 0; i < 4; i++) add(message("m" + i));
        Claim two = claim(2);
        assertThat(payloads(two)).containsExactly("m0", "m1");
        Receipt first = two.handouts().get(0).receipt();
        Receipt second = two.handouts().get(1).receipt();
        Receipt stale = new Receipt(queue(), new MessageId("unknown"), 1);
        Claim next = claim(1, new Ack(first), new Ack(stale), new Retry(second, LONG, true));
        assertThat(next.settled()).containsExactly(true, false, true);
        assertThat(payloads(next)).containsExactly("m2");
        assertFigures(1, 1, 0, 1, 0);
    }

    // Stale receipts

    @Test
    @Proves({Law.STALE, Law.ONCE})
    void aNewerDeliveryMakesEveryOlderReceiptStale() {
        add(crashing("m", 3, Duration.ZERO));
        Receipt old = taken(term());
        pass(term());
        Receipt current = taken();
        for (Settlement stale : List.of(
                new Ack(old),
                new Retry(old, Duration.ZERO, true),
                new Bury(old, "bad", bytes("")),
                new Extend(old, LONG),
                new Ack(new Receipt(queue(), old.id(), 3)))) {
            assertThat(settle(stale)).as("the effect of " + stale).isFalse();
            assertFigures(0, 0, 0, 1, 0);
        }
        assertThat(settle(new Ack(current))).isTrue();
        assertFigures(0, 0, 0, 0, 0);
    }

    @Test
    @Proves(Law.STALE)
    void aSettledReceiptIsSpent() {
        add(message("a"));
        Receipt given = taken();
        assertThat(settle(new Retry(given, Duration.ZERO, true))).isTrue();
        assertThat(settle(new Ack(given))).as("after it was given back").isFalse();
        assertThat(settle(new Extend(given, LONG))).isFalse();
        assertFigures(1, 0, 0, 0, 0);
        Receipt buried = taken();
        assertThat(settle(new Bury(buried, "bad", bytes("")))).isTrue();
        assertThat(settle(new Ack(buried))).as("after it was buried").isFalse();
        assertThat(settle(new Retry(buried, Duration.ZERO, false))).isFalse();
        assertFigures(0, 0, 0, 0, 1);
    }

    @Test
    @Proves({Law.LATE_ACK, Law.ONE_PLACE})
    void aLapsedDeliveryMayAcknowledgeUntilTheNext() {
        add(crashing("a", 3, Duration.ZERO));
        Receipt lapsed = taken(term());
        pass(term());
        assertThat(settle(new Ack(lapsed))).as("lapsed").isTrue();
        assertFigures(0, 0, 0, 0, 0);
        add(crashing("b", 3, Duration.ZERO), crashing("c", 3, LONG));
        Receipt b = taken(term());
        Receipt c = taken(term());
        pass(term());
        claim(0);
        assertFigures(1, 1, 0, 0, 0);
        assertThat(claim(0, new Ack(b), new Ack(c)).settled()).as("put back").containsExactly(true, true);
        assertFigures(0, 0, 0, 0, 0);
        assertNothingDue();
    }

    @Test
    @Proves(Law.EXTENSION)
    void anExtendedDeliveryKeepsItsMessage() {
        add(crashing("m", 3, Duration.ZERO));
        Receipt receipt = taken(term());
        assertThat(settle(new Extend(receipt, LONG))).isTrue();
        pass(term().multipliedBy(2));
        assertNothingDue();
        assertThat(settle(new Ack(receipt))).isTrue();
    }

    @Test
    @Proves({Law.EXTENSION, Law.STALE})
    void whatWasPutBackIsNotExtended() {
        add(crashing("m", 3, Duration.ZERO));
        Receipt receipt = taken(term());
        pass(term());
        claim(0);
        assertThat(settle(new Extend(receipt, LONG))).isFalse();
        assertThat(only(claim(1)).receipt().delivery()).isEqualTo(2);
    }

    // Given back

    @Test
    @Proves(Law.RETRIES)
    void aFailedMessageIsCountedAndComesAfterItsDelay() {
        add(message("m"));
        assertThat(settle(new Retry(taken(), term(), true))).isTrue();
        if (exact()) assertFigures(0, 1, 0, 0, 0);
        runOut(term(), this::assertNothingDue);
        Handout again = only(claim(1));
        assertThat(again.failures()).isEqualTo(1);
        assertThat(again.crashes()).isZero();
        assertThat(again.receipt().delivery()).isEqualTo(2);
    }

    @Test
    @Proves(Law.RETRIES)
    void aMessageThatDidNotFailKeepsItsPlaceAndAFailedOneGoesBehind() {
        add(message("a"), message("b"));
        pass(term());
        Claim kept = claim(2, new Retry(taken(), Duration.ZERO, false));
        assertThat(payloads(kept)).containsExactly("a", "b");
        assertThat(kept.handouts().get(0).failures()).isZero();
        Receipt a = kept.handouts().get(0).receipt();
        Receipt b = kept.handouts().get(1).receipt();
        claim(0, new Retry(b, Duration.ZERO, false), new Retry(a, Duration.ZERO, true));
        assertThat(payloads(claim(2))).containsExactly("b", "a");
    }

    // Dead letters

    @Test
    @Proves(Law.DEAD_LETTERS)
    void aBuriedMessageKeepsItsStory() {
        MessageId id = add(message("m"));
        settle(new Retry(taken(), Duration.ZERO, true));
        settle(new Bury(taken(), "poison", bytes("detail")));
        Inspection.Letter letter = letter(id);
        assertThat(letter.state()).isEqualTo(MessageState.DEAD);
        assertThat(letter.payload()).isEqualTo(bytes("m"));
        assertThat(letter.reason()).contains("poison");
        assertThat(letter.detail()).isEqualTo(bytes("detail"));
        assertThat(letter.deliveries()).isEqualTo(2);
        assertThat(letter.failures()).isEqualTo(1);
        assertThat(letter.diedAtMicros())
                .isGreaterThanOrEqualTo(letter.enqueuedAtMicros())
                .isPositive();
        assertThat(letters(MessageState.DEAD)).containsExactly(letter);
        assertNothingDue();
    }

    @Test
    @Proves({Law.DEAD_LETTERS, Law.STALE})
    void aDeadMessageIsMovedBackWithFreshAttemptsAndANewDelivery() {
        MessageId id = add(message("m"));
        settle(new Retry(taken(), Duration.ZERO, true));
        Receipt old = taken();
        settle(new Bury(old, "poison", bytes("")));
        committed(new Move(queue(), id, Duration.ZERO));
        assertThat(settle(new Ack(old))).as("the old receipt").isFalse();
        Handout again = only(claim(1));
        assertThat(again.failures()).isZero();
        assertThat(again.receipt()).isEqualTo(new Receipt(queue(), id, 3));
        assertFigures(0, 0, 0, 1, 0);
    }

    @Test
    @Proves(Law.DEAD_LETTERS)
    void aDeadMessageIsRemovedForGood() {
        MessageId id = add(message("m"));
        settle(new Bury(taken(), "poison", bytes("")));
        committed(new Remove(queue(), id));
        assertFigures(0, 0, 0, 0, 0);
        assertThat(inspect(new Inspection.OneMessage(queue(), id))).isEmpty();
    }

    // Effects

    @Test
    @Proves({Law.EFFECTS, Law.ATOMIC})
    void effectsHappenWithTheDeliveryExactlyOnce() {
        add(message("m"));
        Receipt receipt = taken();
        Enqueue follow = enqueue(queue("next"), "follow");
        committed(new Ack(receipt), put(key("k"), "done"), follow);
        assertValue(key("k"), "done");
        Obstacle.Stale stale = obstacle(Obstacle.Stale.class, commit(put(key("k"), "again"), follow, new Ack(receipt)));
        assertThat(stale.index()).isEqualTo(2);
        assertThat(stale.receipt()).isEqualTo(receipt);
        assertThat(stale.now()).isEqualTo(MessageState.GONE);
        assertValue(key("k"), "done");
        assertThat(inspect(new Inspection.Figures(queue("next"))).ready()).isEqualTo(1);
    }

    @Test
    @Proves({Law.EFFECTS, Law.STALE})
    void effectsOfASupersededDeliveryAreRefusedWhole() {
        add(crashing("m", 3, Duration.ZERO));
        Receipt old = taken(term());
        pass(term());
        Receipt current = taken();
        for (Settlement end : List.of(
                new Ack(old),
                new Retry(old, Duration.ZERO, true),
                new Bury(old, "bad", bytes("")),
                new Extend(old, LONG))) {
            Obstacle.Stale stale = obstacle(Obstacle.Stale.class, commit(put(key("k"), "lost"), end));
            assertThat(stale.now()).isEqualTo(MessageState.RUNNING);
        }
        Check.Current wasCurrent = new Check.Current(old);
        obstacle(Obstacle.Stale.class, commit(List.of(wasCurrent), put(key("k"), "lost")));
        absent(key("k"));
        committed(commit(List.of(new Check.Current(current)), put(key("k"), "kept")));
        assertFigures(0, 0, 0, 1, 0);
        assertThat(settle(new Ack(current))).isTrue();
    }

    @Test
    @Proves({Law.EFFECTS, Law.ATOMIC})
    void aRefusedCommitLeavesTheDeliveryCurrent() {
        add(message("m"));
        Receipt receipt = taken();
        committed(put(key("k"), "there"));
        refused(commit(List.of(new Check.Vacant(key("k"), false)), new Ack(receipt)));
        assertFigures(0, 0, 0, 1, 0);
        committed(new Ack(receipt));
        assertFigures(0, 0, 0, 0, 0);
    }

    @Test
    @Proves(Law.BOUND)
    void aClaimOfTheLargestBatchIsServed() {
        for (int i = 0; i < 3; i++) {
            committed(enqueue(queue(), "a", "b", "c", "d", "e", "f", "g", "h", "i", "j"));
        }
        assertThat(claim(ClaimRequest.MAX_BATCH).handouts()).hasSize(30);
    }
}
