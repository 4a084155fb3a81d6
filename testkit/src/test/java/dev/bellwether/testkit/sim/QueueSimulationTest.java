// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueMutation.Retry;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.RequestId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A queue consumer as small as can be, which crashes, in worlds that lose and repeat. */
final class QueueSimulationTest {
    private static final QueueName QUEUE = QueueName.of(Bytes.utf8("queue"));
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int SCHEDULES = 10_000;
    private static final int MESSAGES = 4;

    private static final class Producer {
        private final SimWorld world;
        private final SimProcess process;
        private final QueueHistory history;

        Producer(SimWorld world, QueueHistory history) {
            this.world = world;
            this.process = world.process("producer");
            this.history = history;
        }

        void enqueue(int number) {
            Duration delay =
                    Duration.ofMillis(number % 2 == 0 ? 0 : world.random().nextInt(3_000));
            Message message = new Message(
                    Bytes.utf8("m" + number),
                    delay,
                    number % 3,
                    number % 4 == 0 ? Bytes.utf8("group") : null,
                    null,
                    new Message.CrashPolicy(1_000, Duration.ofMillis(100)));
            Commit commit = new Commit(
                    new RequestId(1, number), List.of(), List.of(new Enqueue(QUEUE, List.of(message), 1_000)));
            send(commit, world.storeMicros() + delay.toMillis() * 1_000, 0);
        }

        private void send(Commit commit, long due, int attempts) {
            var unused = process.backend().commit(commit).whenComplete((reply, failure) -> {
                if (reply instanceof CommitReply.Committed done) {
                    Outcome.Enqueued enqueued =
                            (Outcome.Enqueued) done.outcomes().get(0);
                    history.enqueued(enqueued.ids().get(0), due);
                } else if (attempts < 7) {
                    send(commit, due, attempts + 1);
                }
            });
        }
    }

    private static class Consumer {
        final SimWorld world;
        final SimProcess process;
        final QueueHistory history;
        private final long processId;
        private long claims;
        private final List<Settlement> finished = new ArrayList<>();

        Consumer(SimWorld world, String name, QueueHistory history) {
            this.world = world;
            this.process = world.process(name);
            this.history = history;
            this.processId = world.random().nextLong();
        }

        void claim() {
            List<Settlement> settle = List.copyOf(finished);
            settle.stream()
                    .filter(Ack.class::isInstance)
                    .forEach(ack -> history.mayEnd(ack.receipt().id()));
            finished.clear();
            send(new ClaimRequest(QUEUE, new RequestId(processId, ++claims), settle, 2, LEASE, Duration.ofSeconds(1)));
        }

        private void send(ClaimRequest request) {
            var unused = process.backend().claim(request).whenComplete((claim, failure) -> {
                if (claim == null) send(request);
                else handle(request, claim);
            });
        }

        private void handle(ClaimRequest request, Claim claim) {
            for (int i = 0; i < claim.settled().size(); i++) {
                if (claim.settled().get(i)) told(request.settle().get(i));
            }
            for (Claim.Handout handout : claim.handouts()) {
                history.delivered(handout.receipt(), claim.now().micros());
                boolean fails = world.random().nextInt(5) == 0;
                finished.add(fails ? new Retry(handout.receipt(), Duration.ZERO, true) : done(handout));
            }
            int millis = 1 + world.random().nextInt(claim.handouts().isEmpty() ? 2_000 : 4_000);
            var unused = process.timer().after(Duration.ofMillis(millis), this::claim);
        }

        Settlement done(Claim.Handout handout) {
            return new Ack(handout.receipt());
        }

        private void told(Settlement settlement) {
            if (settlement instanceof Ack) history.acked(settlement.receipt());
            else history.settled(settlement.receipt());
        }
    }

    /** Ends messages in silence. */
    private static final class Forgetful extends Consumer {
        Forgetful(SimWorld world, String name, QueueHistory history) {
            super(world, name, history);
        }

        @Override
        Settlement done(Claim.Handout handout) {
            // Behind the history's back, as if the store had lost it.
            var unused = process.backend().commit(Commit.of(new Ack(handout.receipt())));
            return new Retry(handout.receipt(), Duration.ZERO, false);
        }
    }

    @FunctionalInterface
    private interface Hiring {
        Consumer hire(SimWorld world, String name, QueueHistory history);
    }

    private static void check(SimWorld world, QueueHistory history) {
        for (MessageState state : MessageState.values()) {
            if (state == MessageState.GONE) continue;
            history.placed(
                    state,
                    world.look(new Inspection.Messages(QUEUE, state, 1_000, null)).stream()
                            .map(Inspection.Letter::id)
                            .toList());
        }
        history.check();
    }

    private static QueueHistory play(SimWorld world, Hiring hiring) {
        QueueHistory history = new QueueHistory();
        Producer producer = new Producer(world, history);
        for (int i = 0; i < MESSAGES; i++) {
            int number = i;
            world.after(Duration.ofMillis(world.random().nextInt(5_000)), () -> producer.enqueue(number));
        }
        for (String name : List.of("A", "B")) {
            Consumer consumer = hiring.hire(world, name, history);
            consumer.process.execute(consumer::claim);
            if (world.random().nextInt(2) == 0) {
                world.after(Duration.ofMillis(world.random().nextInt(10_000)), () -> {
                    consumer.process.crash();
                    Consumer next = hiring.hire(world, name, history);
                    next.process.execute(next::claim);
                });
            }
        }
        world.run(Duration.ofSeconds(25));
        check(world, history);
        return history;
    }

    @Test
    void q1AndQ2HoldForAMinimalConsumerThatCrashesUnderWildFaults() {
        long[] deliveries = {0};
        var explored = Simulations.explore(SCHEDULES, 1, Faults.wild(), world -> {
            deliveries[0] += play(world, Consumer::new).deliveries();
        });
        System.out.printf("queues: %.0f schedules per second%n", explored.perSecond());
        assertThat(deliveries[0]).isGreaterThan(SCHEDULES * (long) MESSAGES);
    }

    @Test
    void q1_aMessageThatVanishesIsCaught() {
        assertThatThrownBy(() -> Simulations.explore(200, 1, Faults.wild(), world -> {
                    QueueHistory unused = play(world, Forgetful::new);
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Q1");
    }
}
