// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.engine.EnqueuePart;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.queue.AsyncWorkQueue;
import dev.bellwether.queue.DeadLetters;
import dev.bellwether.queue.Envelope;
import dev.bellwether.queue.Recurrence;
import dev.bellwether.queue.WorkQueue;
import dev.bellwether.queue.Worker;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.Inspection.QueueFigures;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueMutation.Remove;
import dev.bellwether.spi.QueueMutation.Tune;
import dev.bellwether.spi.QueueSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A queue over a backend; both twins, and what a transaction needs. */
final class DefaultWorkQueue<T> implements WorkQueue<T>, EnqueuePart<T, Envelope> {
    static final long USUAL_BOUND = 1_000_000;

    private static final int MOST_PEEKED = 10_000;

    private final QueueService service;
    private final Mailbox<T> box;
    private final Enqueuer enqueuer;
    private final AsyncWorkQueue<T> async = new Async();

    DefaultWorkQueue(QueueService service, Mailbox<T> box, long bound) {
        this.service = service;
        this.box = box;
        this.enqueuer = new Enqueuer(box, bound);
    }

    @Override
    public String name() {
        return box.name();
    }

    @Override
    public String enqueue(T message) {
        return enqueue(message, Envelope.now());
    }

    @Override
    public String enqueue(T message, Duration delay) {
        return enqueue(message, Envelope.in(delay));
    }

    @Override
    public String enqueue(T message, Envelope envelope) {
        return send(List.of(box.message(message, envelope))).await().get(0);
    }

    @Override
    public List<String> enqueueAll(Collection<? extends T> messages) {
        return messages.isEmpty() ? List.of() : send(encoded(messages)).await();
    }

    private List<Message> encoded(Collection<? extends T> messages) {
        List<Message> encoded = new ArrayList<>(messages.size());
        for (T message : messages) encoded.add(box.message(message, Envelope.now()));
        return encoded;
    }

    private Enqueuer.Unit send(List<Message> messages) {
        service.ensureOpen();
        return enqueuer.enqueue(messages);
    }

    @Override
    public boolean cancel(String id) {
        return box.await(cancelled(id));
    }

    private CompletableFuture<Boolean> cancelled(String id) {
        return box.applied("cancel in", new Remove(box.queue(), new MessageId(id)));
    }

    @Override
    public void recurring(String schedule, Recurrence recurrence, T message) {
        service.ensureOpen();
        box.await(box.commit("schedule in", Schedules.declare(box, schedule, recurrence, message)));
    }

    @Override
    public void endRecurring(String schedule) {
        service.ensureOpen();
        box.await(box.commit("end of schedule in", Schedules.end(box, schedule)));
    }

    @Override
    public Worker.Builder<T> worker() {
        return new WorkerBuilder<>(service, box);
    }

    @Override
    public DeadLetters<T> deadLetters() {
        return new DefaultDeadLetters<>(box);
    }

    @Override
    public void pause() {
        box.await(tuned(true));
    }

    @Override
    public void resume() {
        box.await(tuned(false));
    }

    private CompletableFuture<Boolean> tuned(boolean paused) {
        return box.figures()
                .thenCompose(figures -> box.applied(
                        "tuning of",
                        new Tune(
                                box.queue(),
                                new QueueSettings(paused, figures.settings().ageing()))))
                .whenComplete((done, failure) -> {
                    if (!paused && failure == null) service.wake(box.queue());
                });
    }

    @Override
    public Stats stats() {
        return box.await(counted());
    }

    private CompletableFuture<Stats> counted() {
        return box.figures().thenApply(DefaultWorkQueue::stats);
    }

    private static Stats stats(QueueFigures figures) {
        return new Stats(
                figures.ready(),
                figures.delayed() + figures.grouped(),
                figures.running(),
                figures.dead(),
                figures.oldestReady(),
                figures.settings().paused());
    }

    @Override
    public List<T> peek(int limit) {
        return decoded(box.await(letters(limit)));
    }

    private List<T> decoded(List<Inspection.Letter> letters) {
        return letters.stream()
                .map(letter -> box.tryDecode(letter.payload()))
                .flatMap(Optional::stream)
                .toList();
    }

    private CompletableFuture<List<Inspection.Letter>> letters(int limit) {
        if (limit < 0 || limit > MOST_PEEKED) {
            throw new IllegalArgumentException(
                    "the number of messages to peek at is " + limit + "; it must lie between 0 and " + MOST_PEEKED);
        }
        return letters(MessageState.READY, limit, List.of())
                .thenCompose(ready -> letters(MessageState.DELAYED, limit, ready));
    }

    /** Those found, then those of this state, up to the limit. */
    private CompletableFuture<List<Inspection.Letter>> letters(
            MessageState state, int limit, List<Inspection.Letter> found) {
        return letters(state, limit, found, null);
    }

    private CompletableFuture<List<Inspection.Letter>> letters(
            MessageState state, int limit, List<Inspection.Letter> found, @Nullable MessageId after) {
        int page = Math.min(Mailbox.PAGE, limit - found.size());
        if (page == 0) return CompletableFuture.completedFuture(found);
        return box.page(state, page, after).thenCompose(next -> {
            List<Inspection.Letter> all = new ArrayList<>(found);
            all.addAll(next);
            return next.size() < page
                    ? CompletableFuture.completedFuture(all)
                    : letters(state, limit, all, next.get(next.size() - 1).id());
        });
    }

    @Override
    public WorkQueue<T> bounded(long maxMessages) {
        if (maxMessages < 1) {
            throw new IllegalArgumentException("the bound of a queue is " + maxMessages + "; it must be 1 or more");
        }
        return new DefaultWorkQueue<>(service, box, maxMessages);
    }

    @Override
    public AsyncWorkQueue<T> async() {
        return async;
    }

    // ---- what a transaction needs

    @Override
    public String queueName() {
        return box.name();
    }

    @Override
    public Enqueue enqueuing(T message, @Nullable Envelope envelope) {
        Message one = box.message(message, envelope == null ? Envelope.now() : envelope);
        return new Enqueue(box.queue(), List.of(one), enqueuer.bound());
    }

    @Override
    public void enqueued(int messages) {
        box.engine().tell(listener -> listener.onEnqueue(new BellwetherListener.Enqueue(box.name(), messages)));
    }

    @Override
    public String toString() {
        return "queue " + box.name();
    }

    /** The same engine without the wait. */
    private final class Async implements AsyncWorkQueue<T> {
        @Override
        public CompletableFuture<String> enqueue(T message) {
            return enqueue(message, Envelope.now());
        }

        @Override
        public CompletableFuture<String> enqueue(T message, Duration delay) {
            return enqueue(message, Envelope.in(delay));
        }

        @Override
        public CompletableFuture<String> enqueue(T message, Envelope envelope) {
            return away(
                    () -> send(List.of(box.message(message, envelope))).ids().thenApply(ids -> ids.get(0)));
        }

        @Override
        public CompletableFuture<List<String>> enqueueAll(Collection<? extends T> messages) {
            if (messages.isEmpty()) return CompletableFuture.completedFuture(List.of());
            return away(() -> send(encoded(messages)).ids());
        }

        @Override
        public CompletableFuture<Boolean> cancel(String id) {
            return away(() -> cancelled(id));
        }

        @Override
        public CompletableFuture<Void> pause() {
            return away(() -> tuned(true)).thenAccept(done -> {});
        }

        @Override
        public CompletableFuture<Void> resume() {
            return away(() -> tuned(false)).thenAccept(done -> {});
        }

        @Override
        public CompletableFuture<Stats> stats() {
            return away(DefaultWorkQueue.this::counted);
        }

        @Override
        public CompletableFuture<List<T>> peek(int limit) {
            return away(() -> letters(limit)).thenApply(DefaultWorkQueue.this::decoded);
        }

        @Override
        public WorkQueue<T> sync() {
            return DefaultWorkQueue.this;
        }

        private <R> CompletableFuture<R> away(Supplier<CompletableFuture<R>> act) {
            return Away.from(box.engine().executor(), act);
        }
    }
}
