// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import static dev.bellwether.testkit.model.Sheet.QUEUE;
import static dev.bellwether.testkit.model.Sheet.grouped;
import static dev.bellwether.testkit.model.Sheet.keyed;
import static dev.bellwether.testkit.model.Sheet.message;
import static dev.bellwether.testkit.model.Sheet.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Message.Dedup.Mode;
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
import dev.bellwether.spi.QueueMutation.Tune;
import dev.bellwether.spi.QueueSettings;
import dev.bellwether.spi.Receipt;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class QueuesTest {
    private final Sheet sheet = new Sheet();

    private Claim.Handout lapseAndTakeAgain() {
        sheet.time.advance(seconds(10));
        sheet.claim(1);
        sheet.time.advance(seconds(1));
        return sheet.take();
    }

    @Test
    void q2_nothingIsDeliveredBeforeItIsDue() {
        sheet.enqueue(new Message(Bytes.EMPTY, seconds(3), 0, null, null, Message.CrashPolicy.DEFAULT));
        sheet.time.advance(seconds(3).minusNanos(1_000));
        assertThat(sheet.claim(1).nextDue()).isEqualTo(Duration.ofNanos(1_000));
        sheet.time.advance(Duration.ofNanos(1_000));
        assertThat(sheet.claim(1).handouts()).hasSize(1);
    }

    @Test
    void q2_aLapsedReceiptAcknowledgesUntilTheNextDelivery() {
        MessageId id = sheet.enqueue(message("m"));
        Receipt first = sheet.take().receipt();
        sheet.time.advance(seconds(10));
        sheet.claim(1);
        assertThat(sheet.stateOf(id)).isEqualTo(MessageState.DELAYED);
        assertThat(sheet.claim(0, new Extend(first, seconds(1))).settled()).containsExactly(false);
        assertThat(sheet.claim(0, new Ack(first)).settled()).containsExactly(true);
        assertThat(sheet.stateOf(id)).isEqualTo(MessageState.GONE);
    }

    @Test
    void q2_aNewerDeliveryMakesTheOlderReceiptStale() {
        sheet.enqueue(message("m"));
        Receipt first = sheet.take().receipt();
        Claim.Handout second = lapseAndTakeAgain();
        assertThat(second.receipt().delivery()).isEqualTo(2);
        assertThat(second.crashes()).isEqualTo(1);
        assertThat(sheet.claim(0, new Ack(first)).settled()).containsExactly(false);
        assertThat(sheet.refused(new Ack(first)).get(0)).isEqualTo(new Obstacle.Stale(0, first, MessageState.RUNNING));
    }

    @Test
    void q1_aSettledReceiptIsSpentAtOnce() {
        MessageId id = sheet.enqueue(message("m"));
        Receipt first = sheet.take().receipt();
        assertThat(sheet.claim(0, new Retry(first, Duration.ZERO, true)).settled())
                .containsExactly(true);
        assertThat(sheet.claim(0, new Ack(first)).settled()).containsExactly(false);
        assertThat(sheet.stateOf(id)).isEqualTo(MessageState.READY);
        assertThat(sheet.take().failures()).isEqualTo(1);
    }

    @Test
    void q5_aMessageGivenBackUntriedStandsAtItsOldPlace() {
        sheet.enqueue(message("first"));
        sheet.time.advance(seconds(1));
        sheet.enqueue(message("second"));
        Receipt first = sheet.take().receipt();
        sheet.claim(0, new Retry(first, Duration.ZERO, false));
        assertThat(sheet.take().payload()).isEqualTo(Bytes.utf8("first"));
    }

    @Test
    void q5_aHigherBandComesFirstButNotForEver() {
        sheet.enqueue(new Message(Bytes.utf8("low"), Duration.ZERO, 1, null, null, Message.CrashPolicy.DEFAULT));
        sheet.time.advance(seconds(29));
        sheet.enqueue(message("high"));
        sheet.time.advance(seconds(2));
        sheet.enqueue(message("late"));
        assertThat(sheet.claim(3).handouts())
                .extracting(handout -> handout.payload().utf8())
                .containsExactly("high", "low", "late");
    }

    @Test
    void s4_theLastClaimOfAConsumerIsAnsweredAgain() {
        sheet.enqueue(message("a"));
        sheet.enqueue(message("b"));
        ClaimRequest request = sheet.claimOf(1);
        Claim first = Sheet.now(sheet.backend.claim(request));
        sheet.time.advance(seconds(1));
        assertThat(Sheet.now(sheet.backend.claim(request))).isEqualTo(first);
        assertThat(sheet.take().payload()).isEqualTo(Bytes.utf8("b"));
    }

    @Test
    void oneOfAGroupIsDeliveredAfterTheOther() {
        sheet.enqueue(grouped("1"));
        MessageId second = sheet.enqueue(grouped("2"));
        assertThat(sheet.stateOf(second)).isEqualTo(MessageState.GROUPED);
        Claim claim = sheet.claim(2);
        assertThat(claim.handouts()).hasSize(1);
        sheet.claim(0, new Ack(claim.handouts().get(0).receipt()));
        assertThat(sheet.take().payload()).isEqualTo(Bytes.utf8("2"));
    }

    @Test
    void aDeadLetterThatComesBackStandsBehindItsGroup() {
        MessageId first = sheet.enqueue(grouped("1"));
        sheet.enqueue(grouped("2"));
        sheet.claim(0, new Bury(sheet.take().receipt(), "why", Bytes.EMPTY));
        sheet.done(new Move(QUEUE, first, Duration.ZERO));
        assertThat(sheet.stateOf(first)).isEqualTo(MessageState.GROUPED);
        Claim.Handout second = sheet.take();
        assertThat(second.payload()).isEqualTo(Bytes.utf8("2"));
        sheet.claim(0, new Ack(second.receipt()));
        assertThat(sheet.take().receipt().delivery()).isEqualTo(2);
    }

    @Test
    void aKeyIsHeldBeyondTheAcknowledgementUntilItsWindowEnds() {
        MessageId first = sheet.enqueue(keyed("1", Mode.IGNORE));
        var both = sheet.enqueued(keyed("2", Mode.IGNORE), message("free"));
        assertThat(both.ids().get(0)).isEqualTo(first);
        assertThat(both.duplicates()).containsExactly(0);
        sheet.claim(0, new Ack(sheet.take().receipt()));
        assertThat(sheet.enqueue(keyed("3", Mode.REPLACE))).isEqualTo(first);
        sheet.time.advance(seconds(60));
        assertThat(sheet.enqueue(keyed("4", Mode.IGNORE))).isNotEqualTo(first);
    }

    @Test
    void aKeyIsReleasedByDeathAndRemoval() {
        MessageId first = sheet.enqueue(keyed("1", Mode.IGNORE));
        sheet.claim(0, new Bury(sheet.take().receipt(), "why", Bytes.EMPTY));
        MessageId second = sheet.enqueue(keyed("2", Mode.IGNORE));
        sheet.done(new Remove(QUEUE, second));
        MessageId third = sheet.enqueue(keyed("3", Mode.IGNORE));
        assertThat(List.of(first, second, third)).doesNotHaveDuplicates();
    }

    @Test
    void aReplacementChangesWhatWaitsAndNotWhatRuns() {
        sheet.enqueue(keyed("1", Mode.REPLACE));
        sheet.enqueue(keyed("2", Mode.REPLACE));
        Claim.Handout taken = sheet.take();
        sheet.enqueue(keyed("3", Mode.REPLACE));
        assertThat(taken.payload()).isEqualTo(Bytes.utf8("2"));
        assertThat(lapseAndTakeAgain().payload()).isEqualTo(Bytes.utf8("2"));
    }

    @Test
    void theBoundCountsWhatIsLiveAndNoDuplicates() {
        sheet.enqueue(keyed("1", Mode.IGNORE));
        Message again = keyed("2", Mode.IGNORE);
        sheet.done(new Enqueue(QUEUE, List.of(again, again, message("2")), 2));
        var full = sheet.refused(new Enqueue(QUEUE, List.of(message("3"), message("4")), 3));
        assertThat(full).containsExactly(new Obstacle.QueueFull(0, QUEUE, 1));
    }

    @Test
    void tooManyCrashesMakeADeadLetterThatTheClaimNames() {
        Message fragile =
                new Message(Bytes.EMPTY, Duration.ZERO, 0, null, null, new Message.CrashPolicy(0, Duration.ZERO));
        MessageId id = sheet.enqueue(fragile);
        sheet.take();
        sheet.time.advance(seconds(10));
        assertThat(sheet.claim(1).buried()).containsExactly(id);
        var letter = Sheet.now(sheet.backend.inspect(new Inspection.OneMessage(QUEUE, id)))
                .orElseThrow();
        assertThat(letter.reason()).contains("crashed");
    }

    @Test
    void aPausedQueueHandsOutNothing() {
        sheet.enqueue(message("m"));
        sheet.done(new Tune(QUEUE, new QueueSettings(true, seconds(30))));
        Claim claim = sheet.claim(1);
        assertThat(claim.handouts()).isEmpty();
        assertThat(claim.nextDue()).isEqualTo(Claim.NOTHING_DUE);
    }

    @Test
    void anIdleConsumerIsHintedOnceForWorkAndForAnEarlierAlarm() {
        sheet.claim(1);
        sheet.enqueue(new Message(Bytes.EMPTY, seconds(3), 0, null, null, Message.CrashPolicy.DEFAULT));
        assertThat(sheet.hints).containsExactly(new Hint.Due(QUEUE));
        sheet.enqueue(message("m"));
        sheet.enqueue(message("m"));
        assertThat(sheet.hints).hasSize(2);
    }
}
