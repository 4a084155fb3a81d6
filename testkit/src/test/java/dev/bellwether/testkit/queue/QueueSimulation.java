// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.queue;

import dev.bellwether.codec.Codecs;
import dev.bellwether.delivery.QueueService;
import dev.bellwether.engine.CommitPart;
import dev.bellwether.engine.Engine;
import dev.bellwether.queue.Delivery;
import dev.bellwether.queue.Envelope;
import dev.bellwether.queue.WorkQueue;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation.Count;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.QueueName;
import dev.bellwether.testkit.sim.QueueHistory;
import dev.bellwether.testkit.sim.SimProcess;
import dev.bellwether.testkit.sim.SimWorld;
import dev.bellwether.time.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BiFunction;

/** A producer and three workers that are slow, fail, crash, pause, close and come back, on one queue of one world. */
final class QueueSimulation {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int MESSAGES = 10;
    private static final int MOST_SECONDS = 3_600;

    /** Crashes, pauses and closes begin within this time, and producing ends. */
    private static final Duration TROUBLE = Duration.ofSeconds(15);

    private final SimWorld world;
    private final Random random;
    private final BiFunction<SimWorld, KvBackend, KvBackend> wiring;
    private final QueueHistory history = new QueueHistory();
    private final Set<String> handled = new HashSet<>();
    private final Set<MessageId> accepted = new HashSet<>();
    private final List<Held> held = new ArrayList<>();
    private final List<AssertionError> violations = new ArrayList<>();
    private final QueueName name = QueueName.of(Bytes.utf8("sim:q:jobs:"));

    /** A delivery in some process, which believes in it or not. */
    record Held(SimProcess process, Delivery<?> delivery, int number) {}

    /** @param wiring puts something between the engines and the network, or nothing */
    QueueSimulation(SimWorld world, BiFunction<SimWorld, KvBackend, KvBackend> wiring) {
        this.world = world;
        this.random = world.random();
        this.wiring = wiring;
    }

    void play() {
        world.process("producer").execute(this::produce);
        for (String each : List.of("A", "B", "C")) {
            start(each);
            trouble(each);
        }
        world.run(TROUBLE);
        for (int second = 0; second < MOST_SECONDS && !isOver(); second++) world.run(Duration.ofSeconds(1));
        check();
    }

    private Engine engine(SimProcess process) {
        KvBackend backend =
                new Recorder(wiring.apply(world, process.backend()), history, this::handedOut, violations::add);
        Engine.Settings settings =
                new Engine.Settings("sim", Duration.ofMillis(500), Duration.ofSeconds(2), process.name(), null);
        return new Engine(backend, process.timer(), process, settings);
    }

    private void produce() {
        WorkQueue<String> queue = queue(engine(world.process("producer")));
        for (int i = 0; i < MESSAGES; i++) {
            Duration delay = random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(random.nextInt(4_000));
            Envelope envelope = Envelope.in(delay);
            if (random.nextInt(3) == 0) envelope = envelope.group("g" + random.nextInt(2));
            long due = world.storeMicros() + delay.toNanos() / 1_000;
            queue.async().enqueue("job" + i, envelope).thenAccept(id -> {
                accepted.add(new MessageId(id));
                history.enqueued(new MessageId(id), due);
            });
        }
    }

    private static WorkQueue<String> queue(Engine engine) {
        return new QueueService(engine).queue("jobs", Codecs.of(String.class));
    }

    private void start(String process) {
        SimProcess home = world.process(process);
        home.execute(() -> {
            Engine engine = engine(home);
            QueueService service = new QueueService(engine);
            service.queue("jobs", Codecs.of(String.class))
                    .worker()
                    .concurrency(1 + random.nextInt(3))
                    .maxAttempts(1_000)
                    .maxCrashes(1_000)
                    .backoff(Backoff.fixed(Duration.ofMillis(200)))
                    .lease(LEASE)
                    .executor(task -> world.after(Duration.ofMillis(random.nextInt(5_000)), () -> home.execute(task)))
                    .startWithDelivery((message, delivery) -> handle(home, engine, delivery));
            if (random.nextInt(4) == 0) closeSometime(home, service);
        });
    }

    private void closeSometime(SimProcess home, QueueService service) {
        world.after(
                Duration.ofMillis(random.nextInt(8_000)),
                () -> home.execute(() -> {
                    if (home.hasCrashed()) return;
                    service.closing().thenRun(() -> start(home.name()));
                }));
    }

    /** Crashes and pauses in the first seconds, at any step whatever. */
    private void trouble(String process) {
        if (random.nextInt(3) > 0) {
            world.after(Duration.ofMillis(random.nextInt(8_000)), () -> {
                world.process(process).crash();
                world.after(Duration.ofMillis(random.nextInt(3_000)), () -> start(process));
            });
        }
        if (random.nextInt(3) == 0) {
            world.after(
                    Duration.ofMillis(random.nextInt(6_000)),
                    () -> world.process(process).pause(Duration.ofMillis(random.nextInt(9_000))));
        }
    }

    private void handle(SimProcess home, Engine engine, Delivery<String> delivery) throws Exception {
        int number = ((CommitPart) delivery)
                .mutations().stream()
                        .filter(dev.bellwether.spi.QueueMutation.Ack.class::isInstance)
                        .map(ack -> ((dev.bellwether.spi.QueueMutation.Ack) ack)
                                .receipt()
                                .delivery())
                        .findFirst()
                        .orElseThrow();
        held.add(new Held(home, delivery, number));
        switch (random.nextInt(6)) {
            case 0 -> throw new java.io.IOException("an attempt fails");
            case 1 -> delivery.release();
            case 2 -> commit(engine, delivery);
            case 3, 4 -> takeLong(home, delivery);
            default -> handled.add(delivery.id());
        }
    }

    /** A worker waits for a commit that the handler has begun: so it takes its time although nothing may block here. */
    private void takeLong(SimProcess home, Delivery<?> delivery) {
        if (!delivery.isCurrent()) {
            handled.add(delivery.id());
            return;
        }
        CommitPart part = (CommitPart) delivery;
        part.begin();
        if (random.nextInt(4) == 0) delivery.release();
        else handled.add(delivery.id());
        world.after(
                Duration.ofMillis(random.nextInt(9_000)),
                () -> home.execute(() -> part.ended(CommitPart.Ending.REFUSED)));
    }

    /** As a transaction does it: the effect and the acknowledgement in one commit, while the handler has returned. */
    private void commit(Engine engine, Delivery<?> delivery) {
        CommitPart part = (CommitPart) delivery;
        if (!delivery.isCurrent()) {
            delivery.release();
            return;
        }
        delivery.release(); // what shall happen if the commit is refused
        part.begin();
        history.mayEnd(new MessageId(delivery.id()));
        handled.add(delivery.id());
        List<Mutation> mutations = new ArrayList<>(part.mutations());
        mutations.add(new Count(effect(delivery.id()), Count.Op.ADD, 1, Count.Overflow.FAIL, Expiry.NEVER));
        Commit commit = new Commit(engine.newRequestId(), List.of(), mutations);
        engine.send(
                        "effect",
                        engine.within(Duration.ofSeconds(10)),
                        () -> engine.backend().commit(commit))
                .whenComplete((reply, failure) -> part.ended(ending(reply)));
    }

    private static CommitPart.Ending ending(CommitReply reply) {
        if (reply == null) return CommitPart.Ending.UNKNOWN;
        return reply instanceof CommitReply.Committed ? CommitPart.Ending.COMMITTED : CommitPart.Ending.REFUSED;
    }

    private KvKey effect(String id) {
        return new KvKey(new Partition(Bytes.utf8("effects")), Bytes.utf8("effect " + id));
    }

    /** L1 of deliveries: who still believes in an older one when a newer one has been handed out? */
    private void handedOut(MessageId id, int number) {
        for (Held each : held) {
            boolean older = each.delivery().id().equals(id.value()) && each.number() < number;
            if (older && !each.process().hasCrashed() && each.delivery().isCurrent()) {
                throw new AssertionError("delivery " + each.number() + " of " + id + " is believed current in "
                        + each.process() + " although delivery " + number + " was handed out");
            }
        }
    }

    private List<MessageId> in(MessageState state) {
        return world.look(new Inspection.Messages(name, state, 1_000, null)).stream()
                .map(Inspection.Letter::id)
                .toList();
    }

    private boolean isOver() {
        Inspection.QueueFigures figures = world.look(new Inspection.Figures(name));
        return figures.ready() + figures.delayed() + figures.grouped() + figures.running() == 0;
    }

    private void check() {
        if (!isOver())
            throw new AssertionError(
                    "Q1: after an hour messages still wait: " + world.look(new Inspection.Figures(name)));
        if (!violations.isEmpty()) throw violations.get(0);
        history.placed(MessageState.DEAD, in(MessageState.DEAD));
        for (MessageId id : accepted) {
            KvEntry entry = world.look(List.of(effect(id.value()))).get(0);
            long effects = entry instanceof KvEntry.Present present
                    ? Counter.decode(present.value()).orElseThrow()
                    : 0;
            for (long i = 0; i < effects; i++) history.effect(id);
            if (!in(MessageState.DEAD).contains(id) && !handled.contains(id.value())) {
                throw new AssertionError("Q1: " + id + " is gone, and no handler has ever completed it");
            }
        }
        history.check();
    }
}
