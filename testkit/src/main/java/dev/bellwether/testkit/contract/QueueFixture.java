// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Claim.Handout;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Message.CrashPolicy;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Receipt;
import dev.bellwether.spi.RequestId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages, consumers and one queue: what the contracts of queues share. */
abstract class QueueFixture extends BackendContract {
    /** Of whom the store remembers the last claim. */
    static final class Consumer {
        private final long process = fresh();
        private long claims;

        RequestId next() {
            return new RequestId(process, ++claims);
        }
    }

    final Consumer consumer = new Consumer();

    static Message message(String payload) {
        return Message.of(bytes(payload));
    }

    static Message delayed(String payload, Duration delay) {
        return message(bytes(payload), delay, 0, null);
    }

    static Message banded(String payload, int band) {
        return message(bytes(payload), Duration.ZERO, band, null);
    }

    static Message grouped(String payload, String group) {
        return message(bytes(payload), Duration.ZERO, 0, bytes(group));
    }

    static Message message(Bytes payload, Duration delay, int band, @Nullable Bytes group) {
        return new Message(payload, delay, band, group, null, CrashPolicy.DEFAULT);
    }

    static Message crashing(String payload, int most, Duration delay) {
        return new Message(bytes(payload), Duration.ZERO, 0, null, null, new CrashPolicy(most, delay));
    }

    static Message deduplicated(String payload, String key, Duration window, Message.Dedup.Mode mode) {
        Message.Dedup dedup = new Message.Dedup(bytes(key), window, mode);
        return new Message(bytes(payload), Duration.ZERO, 0, null, dedup, CrashPolicy.DEFAULT);
    }

    static Enqueue enqueue(QueueName queue, String... payloads) {
        List<Message> messages = new ArrayList<>();
        for (String payload : payloads) messages.add(message(payload));
        return new Enqueue(queue, messages, Enqueue.UNBOUNDED);
    }

    final QueueName queue() {
        return queue("q");
    }

    final Outcome.Enqueued add(Message... messages) {
        return add(Enqueue.UNBOUNDED, messages);
    }

    final Outcome.Enqueued add(long bound, Message... messages) {
        Outcome.Enqueued added = outcome(Outcome.Enqueued.class, new Enqueue(queue(), List.of(messages), bound));
        assertThat(added.ids()).as("an id for each message").hasSize(messages.length);
        return added;
    }

    final MessageId add(Message message) {
        return add(Enqueue.UNBOUNDED, message).ids().get(0);
    }

    /** Claims for the fixture's consumer without waiting. */
    final Claim claim(int max, Settlement... settle) {
        return claim(max, LONG, settle);
    }

    final Claim claim(int max, Duration lease, Settlement... settle) {
        return claim(request(consumer, max, lease, Duration.ZERO, settle));
    }

    final ClaimRequest request(Consumer who, int max, Duration lease, Duration idle, Settlement... settle) {
        return new ClaimRequest(queue(), who.next(), List.of(settle), max, lease, idle);
    }

    /** Settles alone, and says whether it took effect. */
    final boolean settle(Settlement settlement) {
        return claim(0, settlement).settled().get(0);
    }

    final Handout only(Claim claim) {
        assertThat(claim.handouts()).as("deliveries").hasSize(1);
        return claim.handouts().get(0);
    }

    final Receipt taken(Duration lease) {
        return only(claim(1, lease)).receipt();
    }

    final Receipt taken() {
        return taken(LONG);
    }

    static List<String> payloads(Claim claim) {
        return claim.handouts().stream()
                .map(handout -> handout.payload().utf8())
                .toList();
    }

    final void assertNothingDue() {
        assertThat(claim(1).handouts()).as("nothing is due").isEmpty();
    }

    final Inspection.QueueFigures figures() {
        return inspect(new Inspection.Figures(queue()));
    }

    final void assertFigures(long ready, long delayed, long grouped, long running, long dead) {
        Inspection.QueueFigures figures = figures();
        assertThat(List.of(figures.ready(), figures.delayed(), figures.grouped(), figures.running(), figures.dead()))
                .as("ready, delayed, grouped, running, dead")
                .containsExactly(ready, delayed, grouped, running, dead);
    }

    final Inspection.Letter letter(MessageId id) {
        return inspect(new Inspection.OneMessage(queue(), id)).orElseThrow();
    }

    final List<Inspection.Letter> letters(MessageState state) {
        return inspect(new Inspection.Messages(queue(), state, 100, null));
    }
}
