// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.queue;

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
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Hands everything on; what is to be different is overridden. */
abstract class Wire implements KvBackend {
    final KvBackend inner;

    Wire(KvBackend inner) {
        this.inner = inner;
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return inner.read(query);
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        return inner.commit(commit);
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return inner.acquire(request);
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        return inner.claim(request);
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return inner.inspect(what);
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        return inner.listen(listener);
    }

    @Override
    public Capabilities capabilities() {
        return inner.capabilities();
    }

    @Override
    public void close() {
        inner.close();
    }
}
