// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Waiting;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.lock.AsyncLeaseLock;
import dev.bellwether.lock.Lease;
import dev.bellwether.lock.LeaseLock;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/** What to lock, and how. */
record DefaultLeaseLock(LockService service, Target target, LockOptions options) implements LeaseLock {
    /** It is the engine that ends a wait; this much later only a defect would. */
    private static final Duration SLACK = Duration.ofSeconds(10);

    @Override
    public String name() {
        return target.label();
    }

    @Override
    public Lease acquire() {
        return acquire(options.maxWait());
    }

    @Override
    public BoundLease acquire(Duration maxWait) {
        return Blocking.lease(waiting(maxWait), limit(maxWait));
    }

    /** Begins to wait. */
    CompletableFuture<BoundLease> waiting(Duration maxWait) {
        service.ensureOpen();
        Durations.notNegative("maxWait", maxWait);
        if (!maxWait.isZero()) return target.acquire(options, maxWait);
        return target.look(options)
                .thenApply(lease -> lease.orElseThrow(
                        () -> new WaitTimeoutException(name() + " is held by others; nothing is held", null)));
    }

    Deadline limit(Duration maxWait) {
        Duration most = Durations.min(maxWait, Waiter.FOR_EVER.multipliedBy(100));
        return service.engine()
                .within(most.plus(service.engine().requestTimeout()).plus(SLACK));
    }

    @Override
    public Optional<Lease> tryAcquire() {
        return attempt().map(lease -> lease);
    }

    CompletableFuture<Optional<BoundLease>> looking() {
        service.ensureOpen();
        return target.look(options);
    }

    private Optional<BoundLease> attempt() {
        CompletableFuture<Optional<BoundLease>> look = looking();
        try {
            return Waiting.join(look, limit(Duration.ZERO));
        } catch (CancellationException interrupted) {
            look.whenComplete((lease, failure) -> {
                if (lease != null) lease.ifPresent(BoundLease::surrender);
            });
            throw interrupted;
        }
    }

    @Override
    public <X extends Exception> void run(Action<X> body) throws X {
        Section.call(acquire(options.maxWait()), options, lease -> {
            body.run(lease);
            return true;
        });
    }

    @Override
    public <T, X extends Exception> T call(Call<T, X> body) throws X {
        return Section.call(acquire(options.maxWait()), options, body);
    }

    @Override
    public <X extends Exception> boolean runIfFree(Action<X> body) throws X {
        Optional<BoundLease> had = attempt();
        if (had.isEmpty()) return false;
        return Section.<Boolean, X>call(had.get(), options, lease -> {
            body.run(lease);
            return true;
        });
    }

    private DefaultLeaseLock with(LockOptions changed) {
        if (changed.atMost() != null && changed.atLeast().compareTo(changed.atMost()) > 0) {
            throw new IllegalArgumentException(
                    name() + " would be held for at least " + changed.atLeast() + " and at most " + changed.atMost());
        }
        return new DefaultLeaseLock(service, target, changed);
    }

    @Override
    public LeaseLock maxWait(Duration limit) {
        return with(options.withMaxWait(limit));
    }

    @Override
    public LeaseLock lease(Duration lease) {
        return with(options.withLease(lease));
    }

    @Override
    public LeaseLock atLeast(Duration hold) {
        return with(options.withAtLeast(hold));
    }

    @Override
    public LeaseLock atMost(Duration hold) {
        return with(options.withAtMost(hold));
    }

    @Override
    public LeaseLock fair() {
        return with(options.inOrder());
    }

    @Override
    public LeaseLock interruptOnLoss() {
        return with(options.interrupting());
    }

    @Override
    public LeaseLock quickRelease() {
        return with(options.quick());
    }

    @Override
    public AsyncLeaseLock async() {
        return new DefaultAsyncLeaseLock(this);
    }

    @Override
    public Lock asLock() {
        return new ThreadLock(this);
    }

    @Override
    public String toString() {
        return "LeaseLock[" + name() + "]";
    }
}
