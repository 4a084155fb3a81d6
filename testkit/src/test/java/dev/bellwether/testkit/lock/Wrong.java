// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.lock;

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
import dev.bellwether.testkit.sim.SimProcess;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Stands between an engine and its store, and makes the pair behave as an engine with a fault would. */
abstract class Wrong implements KvBackend {
    final SimProcess process;
    private final KvBackend inner;

    Wrong(SimProcess process, KvBackend inner) {
        this.process = process;
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
