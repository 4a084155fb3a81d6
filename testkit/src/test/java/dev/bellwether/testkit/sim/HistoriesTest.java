// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Receipt;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class HistoriesTest {
    private static final MessageId ID = new MessageId("1");
    private static final QueueName QUEUE = QueueName.of(Bytes.utf8("q"));

    private final LockHistory locks = new LockHistory();
    private final ComputeHistory computes = new ComputeHistory();
    private final QueueHistory queue = new QueueHistory();

    private static void isRefused(ThrowingCallable check, String law) {
        assertThatThrownBy(check).isInstanceOf(AssertionError.class).hasMessageStartingWith(law);
    }

    private static Receipt receipt(int delivery) {
        return new Receipt(QUEUE, ID, delivery);
    }

    @Test
    void l1_beliefsThatTouchPassAndBeliefsThatOverlapAreRefused() {
        LockHistory.Belief first = locks.begins("A", 1, 0, 10);
        locks.begins("B", 2, 10, 20);
        locks.check();
        first.renewed(11);
        isRefused(locks::check, "L1");
    }

    @Test
    void l1_aBeliefThatEndedIsNotRenewed() {
        LockHistory.Belief first = locks.begins("A", 1, 0, 10);
        first.ended(5);
        first.renewed(30);
        locks.begins("B", 2, 5, 20);
        assertThatCode(locks::check).doesNotThrowAnyException();
    }

    @Test
    void l2_aTokenThatDoesNotGrowIsRefused() {
        locks.begins("A", 2, 0, 10);
        locks.begins("B", 2, 10, 20);
        isRefused(locks::check, "L2");
    }

    @Test
    void m2_whatWasComputedBeforeAnAcknowledgedInvalidationMayNotBeSeenAfterIt() {
        long number = computes.begins("k", 0);
        computes.stored(number);
        ComputeHistory.Invalidation invalidation = computes.invalidates("k", 5);
        computes.seen("k", number, 7);
        computes.check();
        invalidation.acknowledged(8);
        computes.seen("k", number, 7);
        computes.seen("other", computes.begins("other", 0), 9);
        computes.check();
        computes.seen("k", number, 9);
        isRefused(computes::check, "M2");
    }

    @Test
    void m1_aValueOfNobodyOrOfAFailureIsRefused() {
        long number = computes.begins("k", 0);
        computes.failed(number);
        computes.check();
        computes.seen("k", number, 1);
        isRefused(computes::check, "M1");
        ComputeHistory other = new ComputeHistory();
        other.seen("k", 99, 1);
        isRefused(other::check, "M1");
    }

    @Test
    void m1_aComputeInVainIsRefusedAbsentFaults() {
        computes.stored(computes.begins("k", 0));
        computes.checkOneComputePerValue();
        computes.notStored(computes.begins("k", 1));
        isRefused(computes::checkOneComputePerValue, "M1");
    }

    @Test
    void q1_aMessageThatIsNowhereIsLostUnlessItHasEnded() {
        queue.enqueued(ID, 0);
        isRefused(queue::check, "Q1");
        queue.delivered(receipt(1), 0);
        queue.acked(receipt(1));
        assertThatCode(queue::check).doesNotThrowAnyException();
        queue.placed(MessageState.READY, List.of(ID));
        isRefused(queue::check, "Q1");
    }

    @Test
    void q1_aMessageWhoseEndSomebodyAskedForMayBeGone() {
        queue.enqueued(ID, 0);
        queue.mayEnd(ID);
        assertThatCode(queue::check).doesNotThrowAnyException();
    }

    @Test
    void q2_anEarlyDeliveryIsRefused() {
        queue.enqueued(ID, 10);
        isRefused(() -> queue.delivered(receipt(1), 9), "Q2");
    }

    @Test
    void q2_anAcknowledgementByAStaleReceiptIsRefused() {
        queue.enqueued(ID, 0);
        queue.delivered(receipt(1), 1);
        queue.delivered(receipt(2), 2);
        queue.settled(receipt(2));
        queue.acked(receipt(1));
        isRefused(queue::check, "Q2");
    }

    @Test
    void q2_aReceiptIsSettledOnce() {
        queue.delivered(receipt(1), 1);
        queue.settled(receipt(1));
        isRefused(() -> queue.acked(receipt(1)), "Q2");
    }

    @Test
    void q4_anEffectHappensOnceAndOnlyWithTheEndOfItsMessage() {
        queue.delivered(receipt(1), 1);
        queue.effect(ID);
        isRefused(queue::check, "Q4");
        queue.mayEnd(ID);
        queue.check();
        queue.effect(ID);
        isRefused(queue::check, "Q4");
    }

    @Test
    void aMessageInTwoPlacesIsRefused() {
        queue.placed(MessageState.READY, List.of(ID));
        queue.placed(MessageState.RUNNING, List.of(ID));
        isRefused(queue::check, "in two places");
    }
}
