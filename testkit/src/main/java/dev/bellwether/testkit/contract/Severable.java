// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import dev.bellwether.error.BackendUnavailableException;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The connection of one simulated process to a backend under test: it can be cut, and counts the claims. */
final class Severable implements KvBackend {
    private final KvBackend inner;
    private final AtomicInteger claims = new AtomicInteger();
    private volatile boolean cut;

    Severable(KvBackend inner) {
        this.inner = inner;
    }

    /** From now on nothing of this process reaches the store, and nothing of the store the process. */
    void cut() {
        cut = true;
    }

    void mend() {
        cut = false;
    }

    int claims() {
        return claims.get();
    }

    private <T> CompletionStage<T> through(Supplier<CompletionStage<T>> request) {
        if (!cut) return request.get();
        return CompletableFuture.failedStage(new BackendUnavailableException("the test has cut the connection", null));
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return through(() -> inner.read(query));
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        return through(() -> inner.commit(commit));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return through(() -> inner.acquire(request));
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        claims.incrementAndGet();
        return through(() -> inner.claim(request));
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return through(() -> inner.inspect(what));
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        return inner.listen(hint -> {
            if (!cut) listener.accept(hint);
        });
    }

    @Override
    public Capabilities capabilities() {
        return inner.capabilities();
    }

    /** The backend under test is the fixture's. */
    @Override
    public void close() {}
}
