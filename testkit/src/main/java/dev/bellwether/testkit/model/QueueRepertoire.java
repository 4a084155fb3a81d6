// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.QueueSettings;
import dev.bellwether.spi.Receipt;
import dev.bellwether.spi.RequestId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The part of the repertoire that deals with queues. */
final class QueueRepertoire {
    private static final int CONSUMERS = 3;

    private final Known known;
    private final List<QueueName> queues;
    private long claims;

    QueueRepertoire(Known known, Partition one, Partition other) {
        this.known = known;
        this.queues = List.of(new QueueName(one, Bytes.utf8("q")), new QueueName(other, Bytes.utf8("r")));
    }

    QueueName any(Dice dice) {
        return dice.oneOf(queues);
    }

    Receipt receipt(Dice dice, QueueName queue) {
        return dice.known(known.receipts(queue), new Receipt(queue, new MessageId("12"), dice.below(3)));
    }

    private MessageId id(Dice dice, QueueName queue) {
        return dice.known(known.ids(queue), new MessageId("12"));
    }

    Request<?> claim(Dice dice) {
        QueueName queue = any(dice);
        List<Settlement> settle = new ArrayList<>();
        Set<MessageId> once = new HashSet<>();
        for (int i = 0, count = dice.below(4); i < count; i++) {
            Settlement settlement = settlement(dice, queue);
            if (once.add(settlement.receipt().id())) settle.add(settlement);
        }
        int max = dice.below(4);
        RequestId id = max == 0 && dice.chance(50) ? null : new RequestId(100 + dice.below(CONSUMERS), ++claims);
        return new Request.Consume(new ClaimRequest(queue, id, settle, max, dice.length(), dice.lengthOrZero()));
    }

    Request<?> look(Dice dice) {
        QueueName queue = any(dice);
        return switch (dice.below(3)) {
            case 0 -> new Request.Look<>(new Inspection.Figures(queue));
            case 1 -> new Request.Look<>(new Inspection.OneMessage(queue, id(dice, queue)));
            default ->
                new Request.Look<>(
                        new Inspection.Messages(queue, dice.oneOf(List.of(MessageState.values())), 1_000, null));
        };
    }

    private Settlement settlement(Dice dice, QueueName queue) {
        Receipt receipt = receipt(dice, queue);
        return switch (dice.below(6)) {
            case 0, 1 -> new QueueMutation.Retry(receipt, dice.lengthOrZero(), dice.chance(50));
            case 2 -> new QueueMutation.Bury(receipt, "reason", dice.value());
            case 3 -> new QueueMutation.Extend(receipt, dice.length());
            default -> new QueueMutation.Ack(receipt);
        };
    }

    Mutation mutation(Dice dice) {
        QueueName queue = any(dice);
        int kind = dice.below(20);
        if (kind < 10) return enqueue(dice, queue);
        if (kind < 15) return settlement(dice, queue);
        if (kind < 17) return new QueueMutation.Move(queue, id(dice, queue), dice.lengthOrZero());
        if (kind < 19) return new QueueMutation.Remove(queue, id(dice, queue));
        Duration ageing = dice.chance(30) ? Duration.ZERO : Duration.ofSeconds(30);
        return new QueueMutation.Tune(queue, new QueueSettings(dice.chance(30), ageing));
    }

    private static Enqueue enqueue(Dice dice, QueueName queue) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0, count = 1 + dice.below(4); i < count; i++) messages.add(message(dice));
        return new Enqueue(queue, messages, dice.chance(80) ? Enqueue.UNBOUNDED : 1 + dice.below(30));
    }

    private static Message message(Dice dice) {
        Message.Dedup dedup = dice.chance(70)
                ? null
                : new Message.Dedup(
                        Bytes.utf8("k" + dice.below(3)),
                        dice.length(),
                        dice.oneOf(List.of(Message.Dedup.Mode.values())));
        return new Message(
                Bytes.utf8("payload" + dice.below(1_000)),
                dice.lengthOrZero(),
                dice.chance(70) ? 0 : dice.below(Message.MAX_BAND + 1),
                dice.chance(70) ? null : Bytes.utf8("g" + dice.below(2)),
                dedup,
                new Message.CrashPolicy(dice.below(3), dice.lengthOrZero()));
    }

    /** Where the outcome would rest on the order within one commit, which no rule fixes, only one of the two is sent. */
    List<Mutation> withoutClash(List<Mutation> mutations) {
        Set<QueueName> filled = new HashSet<>();
        mutations.forEach(mutation -> {
            if (mutation instanceof Enqueue enqueue) filled.add(enqueue.queue());
        });
        return mutations.stream()
                .filter(mutation -> mutation instanceof Enqueue
                        || !(mutation instanceof QueueMutation change)
                        || change instanceof QueueMutation.Ack
                        || !filled.contains(change.queue()))
                .toList();
    }
}
