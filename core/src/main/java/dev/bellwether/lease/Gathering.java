// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Engine;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.LeaseMutation.Take;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One attempt to have several locks at once. */
final class Gathering {
    /*
     * No circle
     * ---------
     * Where one commit can take them, it takes all that are missing; nobody waits. The first lock in order that stands in
     * the way is then waited for in its own line, holding at most locks that sort before it; one held that sorts after it
     * is given back first. Where no commit spans them, they are waited for one by one in order. Either way whoever waits
     * holds only what sorts before what it waits for, so waiting never closes a circle, and the holder of the lowest
     * contested lock never has to start over, so somebody always gets on.
     */
    private final SeveralLocks target;
    private final LockService service;
    private final Engine engine;
    private final LockOptions options;
    private final Duration maxWait;
    private final Deadline deadline;
    private final boolean oneStep;
    private final ReentrantLock lock = new ReentrantLock();
    private final TreeMap<Integer, BoundLease> held = new TreeMap<>();
    private final CompletableFuture<BoundLease> result = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<BoundLease> waiting;

    Gathering(SeveralLocks target, LockOptions options, Duration maxWait) {
        this.target = target;
        this.service = target.service();
        this.engine = service.engine();
        this.options = options;
        this.maxWait = maxWait;
        this.deadline = engine.within(maxWait);
        this.oneStep = target.isOneStep();
    }

    CompletableFuture<BoundLease> start() {
        result.whenComplete((lease, failure) -> {
            CompletableFuture<BoundLease> inner = waiting;
            if (lease == null && inner != null) Blocking.drop(inner);
            if (lease == null) giveBack();
        });
        if (maxWait.compareTo(Waiter.FOR_EVER) < 0) {
            var timeout = engine.timer().after(maxWait, () -> result.completeExceptionally(timedOut()));
            result.whenComplete((lease, failure) -> timeout.cancel());
        }
        if (oneStep) {
            takeMissing();
        } else {
            waitFor(0);
        }
        return result;
    }

    private WaitTimeoutException timedOut() {
        return new WaitTimeoutException(
                target.label() + ": waited " + maxWait.toMillis()
                        + " ms and they were not free at once; nothing is held. Raise maxWait, or lock fewer names",
                null);
    }

    private List<Integer> missing() {
        lock.lock();
        try {
            List<Integer> missing = new ArrayList<>();
            for (int i = 0; i < target.locks().size(); i++) {
                BoundLease part = held.get(i);
                if (part == null || !part.isHeld()) missing.add(i);
            }
            return missing;
        } finally {
            lock.unlock();
        }
    }

    private void takeMissing() {
        if (result.isDone()) return;
        List<Integer> missing = missing();
        if (missing.isEmpty()) {
            complete();
            return;
        }
        take(missing, deadline.min(engine.within(Duration.ofSeconds(15)))).whenComplete((blocker, failure) -> {
            if (failure != null) {
                fail(failure);
            } else if (blocker.isEmpty()) {
                complete();
            } else {
                waitFor(blocker.get());
            }
        });
    }

    /** Takes them in one commit: empty, or the first that stands in the way. */
    private CompletableFuture<Optional<Integer>> take(List<Integer> missing, Deadline until) {
        List<Owner> owners = missing.stream().map(index -> engine.newOwner()).toList();
        List<Mutation> takes = new ArrayList<>();
        for (int i = 0; i < owners.size(); i++) {
            LineKey key = key(missing.get(i));
            takes.add(new Take(
                    LeaseRequest.of(key.lease(), owners.get(i), key.term()).withShare(key.share())));
        }
        Commit commit = new Commit(null, List.of(), takes);
        long[] sent = new long[1];
        return engine.send("acquisition of " + target.label(), until, () -> {
                    sent[0] = engine.timer().nanoTime();
                    return engine.backend().commit(commit);
                })
                .handle((reply, failure) -> {
                    if (failure == null) return taken(missing, owners, reply, sent[0]);
                    if (failure instanceof OutcomeUnknownException) {
                        for (int i = 0; i < owners.size(); i++) {
                            service.leave(key(missing.get(i)), owners.get(i), true);
                        }
                    }
                    throw new CompletionException(failure);
                });
    }

    private Optional<Integer> taken(List<Integer> missing, List<Owner> owners, CommitReply reply, long sentNanos) {
        if (reply instanceof CommitReply.Committed committed) {
            for (int i = 0; i < owners.size(); i++) {
                if (!(committed.outcomes().get(i) instanceof Outcome.Taken taken)) {
                    throw new IllegalStateException("a lease was taken without tokens: " + committed);
                }
                Hold hold =
                        new Hold(service, key(missing.get(i)), null, owners.get(i), taken.tokens(), sentNanos, options);
                hold.keep();
                have(missing.get(i), hold.begin(options));
            }
            return Optional.empty();
        }
        Obstacle first = ((CommitReply.Conflict) reply).obstacles().get(0);
        return Optional.of(missing.get(first.index()));
    }

    private LineKey key(int index) {
        // Parts are not handed on one by one: their next owner wants them together, or another lock in another way.
        LineKey key = target.locks().get(index).key(options);
        return new LineKey(key.label(), key.lease(), key.share(), key.term(), key.fair(), false);
    }

    private void have(int index, BoundLease part) {
        lock.lock();
        try {
            BoundLease before = held.put(index, part);
            if (before != null) before.surrender();
        } finally {
            lock.unlock();
        }
        if (result.isDone() && !isGranted()) giveBack();
    }

    private boolean isGranted() {
        return !result.isCompletedExceptionally();
    }

    private void waitFor(int index) {
        if (result.isDone()) return;
        giveBackAfter(index);
        CompletableFuture<BoundLease> part = service.waitFor(key(index), options, deadline.remaining());
        waiting = part;
        if (result.isDone()) Blocking.drop(part);
        part.whenComplete((lease, failure) -> {
            if (failure != null) {
                fail(failure);
                return;
            }
            have(index, lease);
            if (oneStep) {
                takeMissing();
            } else {
                next();
            }
        });
    }

    private void next() {
        List<Integer> missing = missing();
        if (missing.isEmpty()) {
            complete();
        } else {
            waitFor(missing.get(0));
        }
    }

    private void complete() {
        List<BoundLease> parts;
        lock.lock();
        try {
            parts = List.copyOf(held.values());
        } finally {
            lock.unlock();
        }
        waiting = null;
        if (parts.size() < target.locks().size()) return; // given back meanwhile
        if (!result.complete(new JointLease(service, target.label(), parts, options))) giveBack();
    }

    private void fail(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        result.completeExceptionally(cause instanceof WaitTimeoutException ? timedOut() : cause);
    }

    private void giveBackAfter(int index) {
        List<BoundLease> parts;
        lock.lock();
        try {
            parts = List.copyOf(held.tailMap(index, true).values());
            held.tailMap(index, true).clear();
        } finally {
            lock.unlock();
        }
        parts.forEach(BoundLease::surrender);
    }

    private void giveBack() {
        giveBackAfter(0);
    }

    /** All that are free now, or none. */
    CompletableFuture<Optional<BoundLease>> look() {
        if (service.isClosed()) return CompletableFuture.failedFuture(engine.closed());
        CompletableFuture<Optional<Integer>> had =
                oneStep ? take(missing(), engine.within(engine.requestTimeout())) : lookFrom(0);
        return had.handle((blocker, failure) -> {
            if (failure == null && blocker.isEmpty()) {
                complete();
                return Optional.of(result.join());
            }
            giveBack();
            if (failure == null) return Optional.empty();
            throw failure instanceof CompletionException wrapped ? wrapped : new CompletionException(failure);
        });
    }

    private CompletableFuture<Optional<Integer>> lookFrom(int index) {
        if (index == target.locks().size()) return CompletableFuture.completedFuture(Optional.empty());
        return target.locks().get(index).look(options).thenCompose(part -> {
            if (part.isEmpty()) return CompletableFuture.completedFuture(Optional.of(index));
            have(index, part.get());
            return lookFrom(index + 1);
        });
    }
}
