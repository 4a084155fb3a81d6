// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.error.ClosedException;
import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Capabilities;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Subscription;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One of several processes on one store: closing it ends its own hints and requests, and leaves the store to the others. */
final class Lent implements KvBackend {
    private final KvBackend store;
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    Lent(KvBackend store) {
        this.store = store;
    }

    private <T> CompletionStage<T> open(Supplier<CompletionStage<T>> request) {
        return closed
                ? CompletableFuture.failedFuture(new ClosedException("this client is closed", null))
                : request.get();
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return open(() -> store.read(query));
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        return open(() -> store.commit(commit));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return open(() -> store.acquire(request));
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        return open(() -> store.claim(request));
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return open(() -> store.inspect(what));
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        Subscription subscription = store.listen(listener);
        subscriptions.add(subscription);
        return subscription;
    }

    @Override
    public Capabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public void close() {
        closed = true;
        subscriptions.forEach(Subscription::close);
    }
}
