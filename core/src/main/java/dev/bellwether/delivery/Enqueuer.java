// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Waiting;
import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.RejectedException;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Limits;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.time.Deadline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Enqueues through one bound of one queue; those that meet travel together. Thread-safe. */
final class Enqueuer {
    /*
     * Natural batching
     * ----------------
     * One commit is on its way at a time; whatever arrives meanwhile waits and goes with the next one, up to 256 messages.
     * So a lone enqueue leaves at once, and under load the batch grows with the delay of the store: no lingering timer.
     * What one caller enqueues together (a unit) stays together; each unit has its own answer. Two answers concern only
     * some of a batch: a full queue names how many would fit, so the first units that fit are sent again and the others
     * rejected; and a backend that refuses the request as such is asked again unit by unit, so that only the guilty fails.
     */
    private static final int MOST_MESSAGES = 256;

    /** Bounds what a store that does not answer can pile up here. */
    private static final int MOST_WAITING = 100_000;

    private final Engine engine;
    private final Mailbox<?> box;
    private final long bound;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Unit> waiting = new ArrayDeque<>();
    private final Turns turns;
    private int waitingMessages;
    private boolean flying;

    /** What one caller enqueues together. */
    final class Unit {
        private final List<Message> messages;
        private final Deadline deadline;
        private final CompletableFuture<List<String>> ids = new CompletableFuture<>();
        private final long bytes;
        private boolean alone;

        private Unit(List<Message> messages) {
            this.messages = messages;
            this.bytes = messages.stream()
                    .mapToLong(message -> message.payload().length())
                    .sum();
            this.deadline = engine.within(Mailbox.PATIENCE);
        }

        CompletableFuture<List<String>> ids() {
            return ids;
        }

        /** Blocks until the store has them: see {@code WorkQueue} for what is known after each exception. */
        List<String> await() {
            try {
                long limit = Mailbox.PATIENCE.multipliedBy(3).toNanos();
                return ids.get(limit, TimeUnit.NANOSECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                if (withdraw(this)) throw Waiting.cancelled("interrupted before anything was enqueued");
                throw new OutcomeUnknownException(
                        "interrupted while an enqueue into " + box.name() + " was on its way; it may be there",
                        interrupted);
            } catch (TimeoutException late) {
                throw new IllegalStateException("the engine overran its own deadline; please report this", late);
            } catch (ExecutionException failed) {
                throw Waiting.rethrow(failed.getCause());
            }
        }

        private int size() {
            return messages.size();
        }
    }

    Enqueuer(Mailbox<?> box, long bound) {
        this.engine = box.engine();
        this.box = box;
        this.bound = bound;
        this.turns = new Turns(engine.executor(), this::sendNext);
    }

    long bound() {
        return bound;
    }

    Unit enqueue(List<Message> messages) {
        Unit unit = new Unit(messages);
        refuseTooLarge(unit);
        if (add(unit)) {
            turns.take();
        } else {
            unit.ids.completeExceptionally(new RejectedException(
                    "more than " + MOST_WAITING + " messages for queue " + box.name()
                            + " wait for an answer of the store; nothing was enqueued",
                    null));
        }
        return unit;
    }

    private void refuseTooLarge(Unit unit) {
        Limits limits = engine.backend().capabilities().limits();
        if (unit.size() > limits.maxOperations() || unit.bytes > limits.maxCommitBytes()) {
            throw new IllegalArgumentException(unit.size() + " messages of " + unit.bytes + " bytes for queue "
                    + box.name() + " are more than one commit of this backend takes (" + limits.maxOperations()
                    + " messages, " + limits.maxCommitBytes() + " bytes); enqueue them in parts");
        }
    }

    private boolean add(Unit unit) {
        lock.lock();
        try {
            if (waitingMessages > MOST_WAITING) return false;
            waiting.add(unit);
            waitingMessages += unit.size();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean withdraw(Unit unit) {
        lock.lock();
        try {
            if (!waiting.remove(unit)) return false;
            waitingMessages -= unit.size();
        } finally {
            lock.unlock();
        }
        unit.ids.cancel(false);
        return true;
    }

    private void sendNext() {
        List<Unit> late = new ArrayList<>();
        List<Unit> batch = takeBatch(late);
        for (Unit unit : late) {
            unit.ids.completeExceptionally(new BackendUnavailableException(
                    "the store did not answer the enqueues before this one into " + box.name() + " for "
                            + Mailbox.PATIENCE.toSeconds() + " s; nothing was enqueued",
                    null));
        }
        if (!batch.isEmpty()) send(batch);
    }

    private List<Unit> takeBatch(List<Unit> late) {
        List<Unit> batch = new ArrayList<>();
        Limits limits = engine.backend().capabilities().limits();
        int room = Math.min(MOST_MESSAGES, limits.maxOperations());
        long bytes = limits.maxCommitBytes();
        lock.lock();
        try {
            if (flying) return batch;
            for (Unit next = waiting.peek(); next != null; next = waiting.peek()) {
                boolean fits = next.size() <= room && next.bytes <= bytes && !next.alone;
                if (!fits && !batch.isEmpty()) break;
                waiting.remove();
                waitingMessages -= next.size();
                if (next.deadline.isPast()) {
                    late.add(next);
                    continue;
                }
                batch.add(next);
                room -= next.size();
                bytes -= next.bytes;
                if (next.alone) break;
            }
            flying = !batch.isEmpty();
        } finally {
            lock.unlock();
        }
        return batch;
    }

    private void send(List<Unit> batch) {
        List<Message> messages = new ArrayList<>();
        Deadline deadline = batch.get(0).deadline;
        for (Unit unit : batch) {
            messages.addAll(unit.messages);
            if (unit.deadline.nanos() - deadline.nanos() > 0) deadline = unit.deadline;
        }
        Commit commit =
                new Commit(engine.newRequestId(), List.of(), List.of(new Enqueue(box.queue(), messages, bound)));
        engine.send(
                        "enqueue into " + box.name(),
                        deadline,
                        () -> engine.backend().commit(commit))
                .whenComplete((reply, failure) -> answered(batch, reply, failure));
    }

    private void answered(List<Unit> batch, @Nullable CommitReply reply, @Nullable Throwable thrown) {
        List<Unit> again = List.of();
        if (reply instanceof CommitReply.Committed committed) {
            complete(batch, committed);
        } else if (reply instanceof CommitReply.Conflict conflict) {
            again = refuse(batch, conflict);
        } else {
            Throwable failure = unwrapped(thrown);
            boolean refusedAsSuch = failure instanceof RuntimeException && !(failure instanceof BellwetherException);
            if (refusedAsSuch && batch.size() > 1) {
                batch.forEach(unit -> unit.alone = true);
                again = batch;
            } else {
                batch.forEach(unit -> unit.ids.completeExceptionally(failure));
            }
        }
        land(again);
        turns.take();
    }

    private static Throwable unwrapped(@Nullable Throwable thrown) {
        if (thrown == null) return new IllegalStateException("the backend answered with nothing");
        return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }

    private void land(List<Unit> again) {
        lock.lock();
        try {
            flying = false;
            for (int i = again.size() - 1; i >= 0; i--) {
                waiting.addFirst(again.get(i));
                waitingMessages += again.get(i).size();
            }
        } finally {
            lock.unlock();
        }
    }

    private void complete(List<Unit> batch, CommitReply.Committed committed) {
        Outcome.Enqueued enqueued = (Outcome.Enqueued) committed.outcomes().get(0);
        if (engine.isListening()) {
            int fresh = enqueued.ids().size() - enqueued.duplicates().size();
            engine.tell(listener -> listener.onEnqueue(new BellwetherListener.Enqueue(box.name(), fresh)));
        }
        int from = 0;
        for (Unit unit : batch) {
            List<MessageId> ids = enqueued.ids().subList(from, from + unit.size());
            from += unit.size();
            unit.ids.complete(ids.stream().map(MessageId::value).toList());
        }
    }

    /** Rejects what does not fit; the rest may go again. */
    private List<Unit> refuse(List<Unit> batch, CommitReply.Conflict conflict) {
        Obstacle obstacle = conflict.obstacles().get(0);
        long room = obstacle instanceof Obstacle.QueueFull full ? full.room() : 0;
        List<Unit> again = new ArrayList<>();
        for (Unit unit : batch) {
            if (unit.size() <= room && batch.size() > 1) {
                again.add(unit);
                room -= unit.size();
            } else {
                unit.ids.completeExceptionally(rejected(obstacle));
            }
        }
        if (again.size() == batch.size()) again.forEach(unit -> unit.alone = true); // else it could go on for ever
        return again;
    }

    private RejectedException rejected(Obstacle obstacle) {
        return new RejectedException(
                obstacle instanceof Obstacle.QueueFull
                        ? "queue " + box.name() + " is at its bound of " + bound
                                + " messages; nothing was enqueued: handle more, or enqueue through bounded(n)"
                        : "the store refused an enqueue into " + box.name() + ": " + obstacle,
                null);
    }
}
