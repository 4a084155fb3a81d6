// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Engine;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.RejectedException;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Share;
import dev.bellwether.spi.Owner;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** One name, and how much of it. */
record OneLock(LockService service, String label, LeaseName lease, Share share) implements Target {
    private record Identity(LeaseName lease, Share share) {}

    @Override
    public Object identity() {
        return new Identity(lease, share);
    }

    LineKey key(LockOptions options) {
        return LineKey.of(label, lease, share, options);
    }

    @Override
    public CompletableFuture<BoundLease> acquire(LockOptions options, Duration maxWait) {
        return service.waitFor(key(options), options, maxWait);
    }

    @Override
    public CompletableFuture<Optional<BoundLease>> look(LockOptions options) {
        if (service.isClosed())
            return CompletableFuture.failedFuture(service.engine().closed());
        LineKey key = key(options);
        Engine engine = service.engine();
        long begin = engine.timer().nanoTime();
        CompletableFuture<Optional<BoundLease>> found =
                service.isHeldHere(key) ? CompletableFuture.completedFuture(Optional.empty()) : ask(key, options);
        if (engine.isListening()) {
            found.whenComplete((lease, failure) -> {
                boolean granted = lease != null && lease.isPresent();
                Duration took = Duration.ofNanos(engine.timer().nanoTime() - begin);
                engine.tell(listener -> listener.onAcquire(new BellwetherListener.Acquire(label, granted, took)));
            });
        }
        return found;
    }

    private CompletableFuture<Optional<BoundLease>> ask(LineKey key, LockOptions options) {
        Engine engine = service.engine();
        Owner owner = engine.newOwner();
        LeaseRequest request = LeaseRequest.of(lease, owner, key.term())
                .withShare(share)
                .withTokens(key.handsOn() ? Hold.MOST_HANDOVERS + 1 : 1);
        long[] sent = new long[1];
        return engine.send("acquisition of " + label, engine.within(engine.requestTimeout()), () -> {
                    sent[0] = engine.timer().nanoTime();
                    return engine.backend().acquire(request);
                })
                .handle((answer, failure) -> {
                    if (failure != null) {
                        if (failure instanceof OutcomeUnknownException) service.leave(key, owner, true);
                        throw failure instanceof RuntimeException unchecked
                                ? unchecked
                                : new CompletionException(failure);
                    }
                    return answered(key, options, owner, answer, sent[0]);
                });
    }

    private Optional<BoundLease> answered(
            LineKey key, LockOptions options, Owner owner, Acquisition answer, long sentNanos) {
        if (answer instanceof Acquisition.Granted granted) {
            return granted(key, options, owner, granted, sentNanos);
        }
        if (answer instanceof Acquisition.Refused refused && share.capacity() != Integer.MAX_VALUE) {
            throw new RejectedException(
                    label + " is in use with another number of permits than " + share.capacity() + " ("
                            + refused.reason() + "); nothing is held",
                    null);
        }
        return Optional.empty();
    }

    private Optional<BoundLease> granted(
            LineKey key, LockOptions options, Owner owner, Acquisition.Granted granted, long sentNanos) {
        Hold hold = service.hold(key, owner, granted.tokens(), sentNanos, options);
        if (!hold.isWorthHaving() || service.isClosed()) {
            hold.drop();
            if (service.isClosed()) throw service.engine().closed();
            throw new OutcomeUnknownException(
                    label + ": the store's answer took most of the lease of "
                            + key.term().toMillis() + " ms; it was given back. Take a longer lease",
                    null);
        }
        HeldLease lease = hold.begin(options);
        hold.keep();
        return Optional.of(lease);
    }
}
