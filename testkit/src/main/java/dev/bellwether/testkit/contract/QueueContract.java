// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Message.Dedup.Mode;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Bury;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueMutation.Move;
import dev.bellwether.spi.QueueMutation.Remove;
import dev.bellwether.spi.QueueMutation.Retry;
import dev.bellwether.spi.QueueMutation.Tune;
import dev.bellwether.spi.QueueSettings;
import dev.bellwether.spi.Receipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a queue holds and in which order it hands out. */
public abstract class QueueContract extends QueueFixture {
    protected QueueContract() {}

    @Test
    @Proves({Law.FIFO, Law.ONCE})
    void messagesAreDeliveredInOrderOfEnqueueAndOnce() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            add(message("a" + i), message("b" + i), message("c" + i));
            all.addAll(List.of("a" + i, "b" + i, "c" + i));
        }
        List<String> got = new ArrayList<>();
        Set<MessageId> ids = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            Claim claim = claim(10);
            got.addAll(payloads(claim));
            for (Claim.Handout handout : claim.handouts()) {
                ids.add(handout.receipt().id());
                assertThat(handout.receipt().delivery()).as("counted from 1").isEqualTo(1);
                assertThat(handout.failures() + handout.crashes()).isZero();
            }
        }
        assertThat(got).isEqualTo(all);
        assertThat(ids).hasSize(60);
        assertNothingDue();
    }

    @Test
    @Proves(Law.FIFO)
    void delayedMessagesComeInOrderOfTheirDueTime() {
        add(
                delayed("third", term().multipliedBy(3)),
                delayed("first", term()),
                delayed("second", term().multipliedBy(2)));
        pass(term().multipliedBy(3));
        add(message("fourth"));
        assertThat(payloads(claim(10))).containsExactly("first", "second", "third", "fourth");
    }

    @Test
    @Proves({Law.DUE, Law.NEXT_DUE})
    void nothingIsDeliveredBeforeItIsDue() {
        Duration delay = term().multipliedBy(2);
        add(delayed("m", delay));
        assertFigures(0, 1, 0, 0, 0);
        Claim early = claim(1);
        assertThat(early.nextDue()).isPositive().isLessThanOrEqualTo(delay);
        if (exact()) assertThat(early.handouts()).isEmpty();
        runOut(delay, this::assertNothingDue);
        if (exact()) assertThat(payloads(claim(1))).containsExactly("m");
    }

    @Test
    @Proves(Law.DUE)
    void aDelayOfAnyLengthIsKept() {
        add(delayed("never", Duration.ofSeconds(Long.MAX_VALUE)), delayed("far", Duration.ofDays(300 * 365L)));
        add(message("now"));
        assertThat(payloads(claim(10))).containsExactly("now");
        assertFigures(0, 2, 0, 1, 0);
    }

    // Bands

    @Test
    @Proves(Law.BANDS)
    void higherPriorityGoesFirst() {
        add(banded("low", 2), banded("high", 0), banded("middle", 1), banded("lowest", 63), banded("high too", 0));
        assertThat(payloads(claim(10))).containsExactly("high", "high too", "middle", "low", "lowest");
    }

    @Test
    @Proves(Law.BANDS)
    void lowerPriorityOvertakesAfterItsAgeing() {
        committed(new Tune(queue(), new QueueSettings(false, term())));
        add(banded("old", 1));
        pass(term().multipliedBy(2));
        add(banded("new", 0));
        assertThat(payloads(claim(10))).containsExactly("old", "new");
    }

    // Groups

    @Test
    @Proves(Law.GROUPS)
    void aGroupIsDeliveredOneAfterTheOther() {
        add(grouped("a1", "a"), grouped("b1", "b"), grouped("a2", "a"), message("free"), grouped("a3", "a"));
        assertFigures(3, 0, 2, 0, 0);
        Claim first = claim(10);
        assertThat(payloads(first)).containsExactly("a1", "b1", "free");
        assertNothingDue();
        Claim second = claim(10, new Ack(first.handouts().get(0).receipt()));
        assertThat(payloads(second)).containsExactly("a2");
        assertNothingDue();
        assertThat(payloads(claim(10, new Bury(only(second).receipt(), "bad", bytes("")))))
                .containsExactly("a3");
        assertFigures(0, 0, 0, 3, 1);
    }

    @Test
    @Proves(Law.GROUPS)
    void aHeadThatIsTriedAgainStillStandsBeforeItsGroup() {
        add(grouped("a1", "a"), grouped("a2", "a"));
        Claim again = claim(10, new Retry(taken(), Duration.ZERO, true));
        assertThat(payloads(again)).containsExactly("a1");
        assertThat(settle(new Retry(only(again).receipt(), LONG, true))).isTrue();
        assertNothingDue();
        assertFigures(0, 1, 1, 0, 0);
    }

    @Test
    @Proves(Law.GROUPS)
    void whenTheHeadOfAGroupIsRemovedTheNextTakesItsPlace() {
        MessageId head = add(grouped("a1", "a"), grouped("a2", "a"), grouped("a3", "a"))
                .ids()
                .get(0);
        committed(new Remove(queue(), head));
        assertFigures(1, 0, 1, 0, 0);
        assertThat(payloads(claim(10))).containsExactly("a2");
    }

    @Test
    @Proves({Law.GROUPS, Law.DUE})
    void theNextOfAGroupWaitsForItsOwnDueTime() {
        add(grouped("a1", "a"), message(bytes("a2"), LONG, 0, bytes("a")));
        assertThat(settle(new Ack(taken()))).isTrue();
        assertNothingDue();
        assertFigures(0, 1, 0, 0, 0);
        add(grouped("a3", "a"));
        assertFigures(0, 1, 1, 0, 0);
    }

    // Deduplication

    private Message keyed(String payload, Duration window, Mode mode) {
        return deduplicated(payload, "key", window, mode);
    }

    @Test
    @Proves(Law.DEDUP)
    void aSecondMessageOfOneKeyIsIgnoredWithinTheWindow() {
        MessageId first = add(keyed("one", LONG, Mode.IGNORE));
        Outcome.Enqueued second = add(message("other"), keyed("two", LONG, Mode.IGNORE), message("more"));
        assertThat(second.ids().get(1)).as("the id of the first").isEqualTo(first);
        assertThat(second.duplicates()).containsExactly(1);
        add(deduplicated("another key", "key2", LONG, Mode.IGNORE));
        assertThat(payloads(claim(10))).containsExactly("one", "other", "more", "another key");
    }

    @Test
    @Proves(Law.DEDUP)
    void aKeyTwiceInOneBatchIsOneMessage() {
        Outcome.Enqueued both = add(keyed("one", LONG, Mode.IGNORE), keyed("two", LONG, Mode.IGNORE));
        assertThat(both.duplicates()).containsExactly(1);
        assertThat(both.ids().get(0)).isEqualTo(both.ids().get(1));
        assertThat(payloads(claim(10))).containsExactly("one");
    }

    @Test
    @Proves(Law.DEDUP)
    void aKeyIsFreeWhenItsWindowEnds() {
        add(keyed("one", term(), Mode.IGNORE));
        runOut(term(), () -> add(keyed("dropped", term(), Mode.IGNORE)));
        assertThat(add(1_000, keyed("two", term(), Mode.IGNORE)).duplicates()).isEmpty();
        assertThat(payloads(claim(10))).containsExactly("one", "two");
    }

    @Test
    @Proves(Law.DEDUP)
    void anAcknowledgedMessageKeepsItsKeyAndABuriedOrRemovedOneDoesNot() {
        add(keyed("one", LONG, Mode.IGNORE));
        settle(new Ack(taken()));
        assertThat(add(1_000, keyed("two", LONG, Mode.IGNORE)).duplicates())
                .as("acknowledged")
                .hasSize(1);
        MessageId removed = add(deduplicated("r", "r", LONG, Mode.IGNORE));
        committed(new Remove(queue(), removed));
        assertThat(add(1_000, deduplicated("b", "r", LONG, Mode.IGNORE)).duplicates())
                .as("removed")
                .isEmpty();
        settle(new Bury(taken(), "bad", bytes("")));
        assertThat(add(1_000, deduplicated("c", "r", LONG, Mode.IGNORE)).duplicates())
                .as("buried")
                .isEmpty();
    }

    @Test
    @Proves(Law.DEDUP)
    void aWaitingMessageIsReplacedWithPayloadAndDueTime() {
        Message.Dedup dedup = new Message.Dedup(bytes("key"), LONG, Mode.REPLACE);
        Message later = new Message(bytes("one"), LONG, 0, null, dedup, Message.CrashPolicy.DEFAULT);
        MessageId first = add(later);
        Outcome.Enqueued second = add(1_000, keyed("two", LONG, Mode.REPLACE));
        assertThat(second.ids()).containsExactly(first);
        assertThat(second.duplicates()).containsExactly(0);
        assertThat(letter(first).payload()).isEqualTo(bytes("two"));
        Claim claim = claim(10);
        assertThat(payloads(claim)).containsExactly("two");
        assertThat(add(1_000, keyed("three", LONG, Mode.REPLACE)).duplicates())
                .as("running")
                .hasSize(1);
        settle(new Retry(only(claim).receipt(), Duration.ZERO, true));
        assertThat(payloads(claim(10))).as("a running message is not replaced").containsExactly("two");
    }

    // Bounds

    @Test
    @Proves({Law.BOUND, Law.REFUSAL, Law.ATOMIC})
    void aFullQueueRefusesTheWholeBatchAndTellsItsRoom() {
        add(3, message("a"), delayed("b", LONG));
        Enqueue two = new Enqueue(queue(), List.of(message("c"), message("d")), 3);
        Obstacle.QueueFull full = obstacle(Obstacle.QueueFull.class, commit(put(key("k"), "v"), two));
        assertThat(full.room()).isEqualTo(1);
        assertThat(full.index()).isEqualTo(1);
        assertThat(full.queue()).isEqualTo(queue());
        assertFigures(1, 1, 0, 0, 0);
        absent(key("k"));
        add(3, message("c"));
        assertThat(obstacle(Obstacle.QueueFull.class, new Enqueue(queue(), List.of(message("d")), 3))
                        .room())
                .isZero();
    }

    @Test
    @Proves({Law.BOUND, Law.DEDUP})
    void runningAndGroupedMessagesCountAndDuplicatesAndDeadOnesDoNot() {
        add(grouped("a1", "a"), grouped("a2", "a"));
        Receipt running = taken();
        obstacle(Obstacle.QueueFull.class, new Enqueue(queue(), List.of(message("x")), 2));
        add(3, keyed("one", LONG, Mode.IGNORE));
        assertThat(add(3, keyed("two", LONG, Mode.IGNORE)).duplicates()).hasSize(1);
        settle(new Bury(running, "bad", bytes("")));
        add(3, message("x"));
    }

    @Test
    @Proves(Law.SIZES)
    void thousandsOfMessagesAreEnqueuedAtOnceOrRefusedByTheStatedLimit() {
        int most = Math.min(2_000, backend().capabilities().limits().maxOperations());
        List<Message> many = new ArrayList<>();
        for (int i = 0; i < most; i++) many.add(message("m" + i));
        committed(new Enqueue(queue(), many, Enqueue.UNBOUNDED));
        List<String> got = new ArrayList<>();
        while (got.size() < most) {
            Claim claim = claim(ClaimRequest.MAX_BATCH);
            assertThat(claim.handouts()).as("after " + got.size()).isNotEmpty();
            got.addAll(payloads(claim));
        }
        assertThat(got)
                .isEqualTo(
                        many.stream().map(message -> message.payload().utf8()).toList());
    }

    // Moving, removing, pausing

    @Test
    @Proves({Law.DEAD_LETTERS, Law.ONE_PLACE})
    void aWaitingMessageIsMovedOrRemoved() {
        MessageId late = add(delayed("late", LONG));
        MessageId ready = add(message("ready"));
        committed(new Move(queue(), late, Duration.ZERO), new Move(queue(), ready, LONG));
        assertFigures(1, 1, 0, 0, 0);
        assertThat(payloads(claim(10))).containsExactly("late");
        committed(new Remove(queue(), ready));
        assertThat(inspect(new Inspection.OneMessage(queue(), ready))).isEmpty();
        assertFigures(0, 0, 0, 1, 0);
    }

    @Test
    @Proves({Law.DEAD_LETTERS, Law.REFUSAL})
    void whatRunsOrIsUnknownIsNeitherMovedNorRemoved() {
        MessageId running = add(message("m"));
        Receipt receipt = taken();
        MessageId gone = add(message("gone"));
        settle(new Ack(taken()));
        for (MessageId id : List.of(running, gone, new MessageId("unknown"))) {
            assertThat(obstacle(Obstacle.Unfit.class, new Move(queue(), id, Duration.ZERO))
                            .reason())
                    .contains(" ");
            obstacle(Obstacle.Unfit.class, new Remove(queue(), id));
        }
        assertThat(settle(new Ack(receipt))).isTrue();
    }

    @Test
    @Proves(Law.PAUSE)
    void aPausedQueueHandsOutNothingAndLosesNothing() {
        add(message("running"));
        Receipt running = taken();
        add(message("a"), message("b"));
        committed(new Tune(queue(), new QueueSettings(true, QueueSettings.DEFAULT.ageing())));
        assertThat(figures().settings().paused()).isTrue();
        Claim paused = claim(10, new Ack(running));
        assertThat(paused.handouts()).isEmpty();
        assertThat(paused.settled()).as("settling goes on").containsExactly(true);
        assertThat(paused.nextDue()).as("nothing is due while it is paused").isEqualTo(Claim.NOTHING_DUE);
        add(message("c"));
        committed(new Tune(queue(), QueueSettings.DEFAULT));
        assertThat(payloads(claim(10))).containsExactly("a", "b", "c");
    }

    // When to look again

    @Test
    @Proves(Law.NEXT_DUE)
    void aClaimSaysWhenToLookAgain() {
        assertThat(claim(1).nextDue()).isEqualTo(Claim.NOTHING_DUE);
        add(delayed("later", LONG));
        assertThat(claim(1).nextDue()).isPositive().isLessThanOrEqualTo(LONG);
        add(message("a"), message("b"));
        Claim more = claim(1, term());
        assertThat(more.nextDue()).as("one more is ready").isZero();
        Claim last = claim(1, LONG);
        assertThat(last.handouts()).hasSize(1);
        assertThat(last.nextDue()).as("until the lease of the first lapses").isLessThanOrEqualTo(term());
        if (exact()) assertThat(last.nextDue()).isEqualTo(term());
    }

    // Everything in its place

    @Test
    @Proves(Law.ONE_PLACE)
    void eachLiveMessageIsInExactlyOnePlace() {
        Outcome.Enqueued added = add(
                message("ready"),
                delayed("delayed", LONG),
                grouped("head", "g"),
                grouped("behind", "g"),
                message("bad"));
        assertStates(added, MessageState.READY, MessageState.DELAYED, MessageState.READY, MessageState.GROUPED);
        assertFigures(3, 1, 1, 0, 0);
        Claim claim = claim(10);
        assertStates(added, MessageState.RUNNING, MessageState.DELAYED, MessageState.RUNNING, MessageState.GROUPED);
        assertFigures(0, 1, 1, 3, 0);
        Receipt ready = claim.handouts().get(0).receipt();
        Receipt head = claim.handouts().get(1).receipt();
        Receipt bad = claim.handouts().get(2).receipt();
        claim(0, new Retry(ready, LONG, true), new Ack(head), new Bury(bad, "bad", bytes("")));
        assertFigures(1, 2, 0, 0, 1);
        assertThat(letters(MessageState.DEAD)).extracting(Inspection.Letter::id).containsExactly(bad.id());
        assertThat(letters(MessageState.DELAYED)).hasSize(2);
        assertThat(letters(MessageState.READY))
                .extracting(Inspection.Letter::payload)
                .containsExactly(bytes("behind"));
        assertThat(figures().oldestReady().isNegative()).isFalse();
    }

    private void assertStates(Outcome.Enqueued added, MessageState... states) {
        for (int i = 0; i < states.length; i++) {
            assertThat(letter(added.ids().get(i)).state()).as("message " + i).isEqualTo(states[i]);
        }
    }
}
