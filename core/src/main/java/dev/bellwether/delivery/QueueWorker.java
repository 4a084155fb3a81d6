// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.delivery.OpenDelivery.Standing;
import dev.bellwether.engine.Engine;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.LeaseLostException.Reason;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.queue.Worker;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.Claim.Handout;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.spi.Receipt;
import dev.bellwether.spi.RequestId;
import dev.bellwether.spi.Subscription;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The claimer of one worker: asks for as many messages as it has room for, and settles what its handlers have done. */
final class QueueWorker<T> implements Worker {
    /*
     * One question at a time
     * ----------------------
     * One claim is on its way at any time; the store remembers the last one of each consumer, so that sending it again
     * brings the same deliveries (law S4). It carries every settlement that has come up since the one before and asks for
     * as many messages as there are free slots: acknowledging a batch and claiming the next is one request. A claim that
     * brought something is followed by another while slots are free, until one brings nothing: that one has registered
     * this consumer for a wake-up, in the step that found the queue empty, so no message can slip in between. Then it
     * sleeps until the store's next due moment, a hint, or one to two seconds, whichever comes first: the last makes it
     * indifferent to every lost hint, and is the whole cost of idling (laws Q1, Q6).
     *
     * A hint that comes while all slots are taken was meant for somebody with room: a claim of nothing passes it on.
     *
     * The message stays in open, and is kept alive by the heartbeat, from the hand-out until the store has answered its
     * settlement. A settlement that met an error goes again with the next claim; the receipt makes that harmless.
     *
     * Nothing may stop the claimer: whatever fails, it asks again (pause after a failure: RETRY).
     */
    private static final System.Logger LOG = System.getLogger("dev.bellwether");

    /** For how long a consumer stays registered; longer than the longest sleep. */
    private static final Duration IDLE = Duration.ofSeconds(5);

    /** The shortest sleep of a worker with nothing to do; at random up to twice as long. */
    private static final Duration SLEEP = Duration.ofSeconds(1);

    /** The shortest pause after a failure; at random up to twice as long. */
    private static final Duration RETRY = Duration.ofMillis(500);

    /** Ends a circle of claims that bring nothing though more is due, as while a long backlog of lapsed messages is reaped. */
    private static final Duration SHORTEST_SLEEP = Duration.ofMillis(1);

    /** A claim may be sent again for as long as the store remembers it for certain. */
    private static final Duration CLAIM = Duration.ofSeconds(15);

    /** Silence of the store beyond what the worker itself allows, before it counts as not running. */
    private static final long SILENCE_NANOS = 5_000_000_000L;

    private enum State {
        RUNNING,
        CLOSING,
        /** The grace period is over: what still runs has been handed back. */
        FLUSHING,
        CLOSED
    }

    /** A delivery whose end the store does not know yet. */
    private record Ended<T>(OpenDelivery<T> delivery, Verdict verdict) {
        Receipt receipt() {
            return delivery.receipt();
        }
    }

    private record Question<T>(List<Ended<T>> settle, int max) {}

    private final Engine engine;
    private final Mailbox<T> box;
    private final WorkerSettings<T> settings;
    private final Consumer<? super QueueWorker<T>> onClosed;
    private final long consumer;
    private final Turns turns;
    private final Heartbeat heartbeat;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Receipt, OpenDelivery<T>> open = new LinkedHashMap<>();
    private final ArrayDeque<Ended<T>> ended = new ArrayDeque<>();
    private @Nullable Subscription hints;
    private @Nullable Scheduled sleep;
    private volatile State state = State.RUNNING;
    private long claims;
    private int taken;
    private int running;
    private int committing;
    private boolean asking;
    private boolean wake = true;
    private boolean passOn;
    private boolean paused;
    private volatile long answeredNanos;
    private volatile boolean isFull;

    QueueWorker(Mailbox<T> box, WorkerSettings<T> settings, Consumer<? super QueueWorker<T>> onClosed) {
        this.engine = box.engine();
        this.box = box;
        this.settings = settings;
        this.onClosed = onClosed;
        this.consumer = engine.timer().newIdentity();
        this.turns = new Turns(engine.executor(), this::ask);
        this.heartbeat = new Heartbeat(box, settings.lease(), this::openNow, this::beaten);
        this.answeredNanos = engine.timer().nanoTime();
    }

    QueueWorker<T> start() {
        hints = engine.hints().onDue(box.queue(), this::hinted);
        turns.take();
        return this;
    }

    Mailbox<T> box() {
        return box;
    }

    // ---- asking

    /** Something may be due. */
    void hinted() {
        wake(true);
    }

    private void slept() {
        wake(false);
    }

    private void wake(boolean byHint) {
        lock.lock();
        try {
            wake = true;
            paused = false;
            passOn |= byHint && room() == 0;
        } finally {
            lock.unlock();
        }
        turns.take();
    }

    private void ask() {
        Question<T> question;
        lock.lock();
        try {
            question = question();
            if (question != null) begin(question);
        } finally {
            lock.unlock();
        }
        if (question != null) {
            send(question);
        } else {
            closeIfDone();
        }
    }

    private int room() {
        return state == State.RUNNING ? Math.min(settings.concurrency() - taken, ClaimRequest.MAX_BATCH) : 0;
    }

    private @Nullable Question<T> question() {
        if (asking || paused || state == State.CLOSED) return null;
        int max = room();
        boolean due = !ended.isEmpty() || (max > 0 ? wake : passOn && state == State.RUNNING);
        return due ? new Question<>(takeEnded(), max) : null;
    }

    private List<Ended<T>> takeEnded() {
        List<Ended<T>> batch = new ArrayList<>();
        Set<String> messages = new HashSet<>();
        List<Ended<T>> later = new ArrayList<>();
        while (!ended.isEmpty() && batch.size() < ClaimRequest.MAX_BATCH) {
            Ended<T> next = ended.remove();
            (messages.add(next.delivery().id()) ? batch : later).add(next); // one settlement of each message a request
        }
        for (int i = later.size() - 1; i >= 0; i--) ended.addFirst(later.get(i));
        return batch;
    }

    private void begin(Question<T> question) {
        asking = true;
        passOn = false;
        if (question.max() == 0) return;
        wake = false;
        if (sleep != null) sleep.cancel();
        sleep = null;
    }

    private void send(Question<T> question) {
        List<Settlement> settle = question.settle().stream()
                .map(each -> each.verdict().settlement(each.receipt()))
                .toList();
        int max = question.max();
        RequestId id = max > 0 ? new RequestId(consumer, ++claims) : null;
        ClaimRequest request =
                new ClaimRequest(box.queue(), id, settle, max, settings.lease(), max > 0 ? IDLE : Duration.ZERO);
        long[] sent = {engine.timer().nanoTime()};
        engine.send(
                        "claim from " + box.name(),
                        engine.within(CLAIM),
                        () -> engine.backend().claim(request))
                .whenComplete((claim, failure) -> {
                    if (claim != null) {
                        answered(question, claim, sent[0]);
                    } else {
                        failed(question, failure);
                    }
                    turns.take();
                });
    }

    // ---- answers

    /** A worker without room asks nothing; its heartbeats then show that the store answers. */
    private void beaten() {
        if (isFull) answered();
    }

    private void answered() {
        answeredNanos = engine.timer().nanoTime();
    }

    private void answered(Question<T> question, Claim claim, long sentNanos) {
        answered();
        List<OpenDelivery<T>> fresh = new ArrayList<>();
        boolean late = engine.timer().nanoTime() - sentNanos > Durations.nanos(settings.lease()) / 3;
        lock.lock();
        try {
            asking = false;
            if (state == State.CLOSED) {
                handBack(claim);
                return;
            }
            question.settle().forEach(each -> open.remove(each.receipt()));
            for (Handout handout : claim.handouts()) {
                OpenDelivery<T> delivery = new OpenDelivery<>(box, handout, settings.lease(), sentNanos);
                supersede(delivery);
                open.put(delivery.receipt(), delivery);
                if (late || state != State.RUNNING) {
                    delivery.recall();
                    ended.add(
                            new Ended<>(delivery, Verdict.Again.RELEASE)); // too little is left of the lease, or of us
                } else {
                    taken++;
                    fresh.add(delivery);
                }
            }
            if (!claim.handouts().isEmpty()) wake = true;
            if (question.max() > 0 && !wake) sleepUntil(claim.nextDue());
            isFull = room() == 0;
        } finally {
            lock.unlock();
        }
        tellSettled(question, claim);
        fresh.forEach(this::dispatch);
    }

    /** An answer that came when nobody waited for it any more. */
    private void handBack(Claim claim) {
        List<Settlement> releases = claim.handouts().stream()
                .map(handout -> Verdict.Again.RELEASE.settlement(handout.receipt()))
                .toList();
        if (releases.isEmpty()) return;
        ClaimRequest request = new ClaimRequest(box.queue(), null, releases, 0, settings.lease(), Duration.ZERO);
        engine.send(
                "release into " + box.name(),
                engine.within(flushTime()),
                () -> engine.backend().claim(request));
    }

    /** An older delivery of the same message is over, whether or not a heartbeat has said so. */
    private void supersede(OpenDelivery<T> delivery) {
        if (delivery.isFirst()) return;
        for (OpenDelivery<T> other : open.values()) {
            if (other.id().equals(delivery.id())) other.end(Standing.LOST, Reason.SUPERSEDED);
        }
    }

    private void sleepUntil(Duration nextDue) {
        Duration longest = Durations.min(nextDue, upToTwice(SLEEP));
        sleep(longest.compareTo(SHORTEST_SLEEP) < 0 ? SHORTEST_SLEEP : longest);
    }

    /** In whole milliseconds, so that under simulated time a worker wakes exactly when something is due. */
    private Duration upToTwice(Duration length) {
        return Duration.ofMillis((long) (length.toMillis() * (1 + engine.timer().random())));
    }

    private void sleep(Duration length) {
        if (sleep != null) sleep.cancel();
        sleep = engine.timer().after(length, this::slept);
    }

    private void failed(Question<T> question, Throwable thrown) {
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        boolean defect = !(failure instanceof BellwetherException);
        LOG.log(
                defect ? System.Logger.Level.ERROR : System.Logger.Level.DEBUG,
                () -> "a claim from queue " + box.name() + " failed; the worker goes on",
                failure);
        lock.lock();
        try {
            asking = false;
            if (failure instanceof ClosedException) {
                state = State.FLUSHING;
                question.settle().forEach(each -> open.remove(each.receipt()));
                abandon();
                return;
            }
            wake = true;
            paused = true; // until the pause is over or a hint comes
            sleep(upToTwice(RETRY));
            if (defect) {
                question.settle().forEach(each -> open.remove(each.receipt())); // it would fail for ever; they lapse
            } else {
                for (int i = question.settle().size() - 1; i >= 0; i--) {
                    ended.addFirst(question.settle().get(i));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Nothing can be told to the store any more. */
    private void abandon() {
        ended.clear();
        for (OpenDelivery<T> delivery : List.copyOf(open.values())) delivery.end(Standing.OVER, Reason.CLOSED);
        open.clear();
    }

    private void tellSettled(Question<T> question, Claim claim) {
        if (!engine.isListening()) return;
        for (int i = 0; i < question.settle().size(); i++) {
            Ended<T> each = question.settle().get(i);
            tell(each.delivery(), claim.settled().get(i) ? each.verdict().told() : SUPERSEDED);
        }
    }

    private static final BellwetherListener.Settlement SUPERSEDED = BellwetherListener.Settlement.SUPERSEDED;

    private void tell(OpenDelivery<T> delivery, BellwetherListener.Settlement how) {
        engine.tell(listener -> listener.onSettle(
                new BellwetherListener.Settle(box.name(), how, delivery.attempt(), delivery.waited(), delivery.ran())));
    }

    // ---- handling

    private void dispatch(OpenDelivery<T> delivery) {
        heartbeat.watch(delivery.deadlineNanos());
        Wrapping.Turn turn = turn(delivery);
        if (turn == null) {
            execute(delivery);
            return;
        }
        Schedules.defined(box, delivery.unwrap(), turn).whenComplete((occurrence, failure) -> {
            if (occurrence == null) {
                giveBack(delivery);
            } else {
                delivery.define(occurrence.orElse(null));
                execute(delivery);
            }
        });
    }

    private static Wrapping.@Nullable Turn turn(OpenDelivery<?> delivery) {
        try {
            return delivery.unwrap().turn();
        } catch (IllegalArgumentException unreadable) {
            return null; // the handler's own thread meets it again, as a failed attempt
        }
    }

    private void execute(OpenDelivery<T> delivery) {
        try {
            settings.executor().execute(() -> handle(delivery));
        } catch (RejectedExecutionException full) {
            LOG.log(System.Logger.Level.WARNING, "the executor of a worker refuses; the message goes back", full);
            giveBack(delivery);
        }
    }

    /** Cannot be handled now, through no fault of the message. */
    private void giveBack(OpenDelivery<T> delivery) {
        Verdict later = new Verdict.Again(Duration.ofSeconds(1), false);
        if (delivery.recall()) settle(new Ended<>(delivery, later));
        returned(delivery, later, false);
    }

    private void handle(OpenDelivery<T> delivery) {
        if (!delivery.enter()) {
            returned(delivery, Verdict.Again.RELEASE, false);
            return;
        }
        count(1);
        Scheduled limit = null;
        Verdict verdict;
        try {
            limit = limit(delivery);
            verdict = settings.verdictOn(delivery, engine.timer()::random);
        } finally {
            if (limit != null) limit.cancel();
            delivery.leave();
        }
        returned(delivery, verdict, true);
    }

    private void count(int begun) {
        lock.lock();
        try {
            running += begun;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Scheduled limit(OpenDelivery<T> delivery) {
        Duration atMost = settings.atMost();
        if (atMost == null) return null;
        Verdict overrun =
                settings.overrun(delivery); // here, since a backoff is user code and must not run on the timer
        return engine.timer().after(atMost, () -> {
            if (delivery.end(Standing.OVER, Reason.AT_MOST_REACHED)) settle(new Ended<>(delivery, overrun));
        });
    }

    /** The handler has returned, or never began. */
    private void returned(OpenDelivery<T> delivery, Verdict verdict, boolean begun) {
        if (delivery.afterCommit(() -> returned(delivery, verdict, begun))) return;
        Standing standing = delivery.standing();
        lock.lock();
        try {
            taken--;
            if (begun) running--;
            wake = true;
            if (standing == Standing.COMMITTED) open.remove(delivery.receipt());
        } finally {
            lock.unlock();
        }
        if (standing == Standing.COMMITTED) {
            tell(delivery, BellwetherListener.Settlement.DONE);
        } else if (standing == Standing.LOST) {
            // Done is done: until the next delivery begins the store still takes it (law Q2). A failure was our own
            // doing.
            settle(new Ended<>(delivery, verdict instanceof Verdict.Done ? verdict : Verdict.Again.RELEASE));
        } else if (standing == Standing.CURRENT) {
            settle(new Ended<>(delivery, verdict));
        }
        turns.take();
    }

    private void settle(Ended<T> end) {
        end.delivery().settling();
        Optional<Enqueue> next = end.verdict().isFinal() ? end.delivery().following() : Optional.empty();
        if (next.isPresent()) {
            commit(end, next.get());
            return;
        }
        lock.lock();
        try {
            if (open.containsKey(end.receipt())) ended.add(end);
        } finally {
            lock.unlock();
        }
        turns.take();
    }

    /** The end of an occurrence and the one after it, together. */
    private void commit(Ended<T> end, Enqueue next) {
        lock.lock();
        try {
            committing++;
        } finally {
            lock.unlock();
        }
        box.commit("settlement in", end.verdict().settlement(end.receipt()), next)
                .whenComplete((reply, failure) -> {
                    lock.lock();
                    try {
                        committing--;
                        open.remove(end.receipt()); // if it failed, the message lapses and is delivered again
                    } finally {
                        lock.unlock();
                    }
                    boolean happened = reply instanceof CommitReply.Committed;
                    tell(end.delivery(), happened ? end.verdict().told() : SUPERSEDED);
                    turns.take();
                });
    }

    private Collection<OpenDelivery<T>> openNow() {
        lock.lock();
        try {
            return List.copyOf(open.values());
        } finally {
            lock.unlock();
        }
    }

    // ---- closing

    /** Stops claiming; the future completes once handlers are done or handed back, within grace and a little more. */
    CompletableFuture<Void> shutdown() {
        lock.lock();
        try {
            if (state != State.RUNNING) return closed;
            state = State.CLOSING;
            paused = false;
            if (hints != null) hints.close();
            if (sleep != null) sleep.cancel();
            for (OpenDelivery<T> delivery : open.values()) {
                if (delivery.recall()) ended.add(new Ended<>(delivery, Verdict.Again.RELEASE));
            }
        } finally {
            lock.unlock();
        }
        Scheduled unused = engine.timer().after(engine.grace(), this::force);
        turns.take();
        return closed;
    }

    private Duration flushTime() {
        return engine.requestTimeout().multipliedBy(4);
    }

    private void force() {
        lock.lock();
        try {
            if (state != State.CLOSING) return;
            state = State.FLUSHING;
            for (OpenDelivery<T> delivery : open.values()) {
                if (delivery.isBeingHandled() && delivery.end(Standing.OVER, Reason.CLOSED))
                    ended.add(new Ended<>(delivery, Verdict.Again.RELEASE));
            }
        } finally {
            lock.unlock();
        }
        Scheduled unused = engine.timer().after(flushTime(), this::giveUp);
        turns.take();
    }

    private void giveUp() {
        lock.lock();
        try {
            abandon();
        } finally {
            lock.unlock();
        }
        finish();
    }

    private void closeIfDone() {
        boolean done;
        lock.lock();
        try {
            boolean quiet = !asking && ended.isEmpty() && committing == 0;
            done = quiet && (state == State.CLOSING ? open.isEmpty() && running == 0 : state == State.FLUSHING);
        } finally {
            lock.unlock();
        }
        if (done) finish();
    }

    private void finish() {
        lock.lock();
        try {
            if (state == State.CLOSED) return;
            state = State.CLOSED;
        } finally {
            lock.unlock();
        }
        if (hints != null) hints.close();
        heartbeat.stop();
        onClosed.accept(this);
        closed.complete(null);
    }

    @Override
    public void close() {
        CompletableFuture<Void> done = shutdown();
        if (isCalledByHandler()) return;
        Duration most = engine.grace().plus(flushTime()).plus(flushTime());
        awaitClosed(done, engine.within(most));
    }

    static void awaitClosed(CompletableFuture<Void> done, Deadline limit) {
        try {
            done.get(limit.remainingNanos(), java.util.concurrent.TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt(); // it closes all the same
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException late) {
            LOG.log(System.Logger.Level.WARNING, "a worker has not ended in time; its messages lapse", late);
        }
    }

    private boolean isCalledByHandler() {
        lock.lock();
        try {
            return open.values().stream().anyMatch(OpenDelivery::isHandledByThisThread);
        } finally {
            lock.unlock();
        }
    }

    // ---- watching

    @Override
    public boolean isRunning() {
        long silence = engine.timer().nanoTime() - answeredNanos;
        long allowed = isFull ? Durations.nanos(settings.lease()) / 3 : 2 * SLEEP.toNanos();
        return state == State.RUNNING && silence < allowed + SILENCE_NANOS;
    }

    @Override
    public boolean awaitIdle(Duration limit) {
        return new Idleness(box, this::isIdleHere, limit).await();
    }

    private boolean isIdleHere() {
        lock.lock();
        try {
            return taken == 0 && open.isEmpty();
        } finally {
            lock.unlock();
        }
    }
}
