// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.engine;

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
import dev.bellwether.spi.Limits;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Answers every verb with what the test has laid down, and remembers what was asked. */
public final class ScriptedBackend implements KvBackend {
    public final List<Object> asked = new ArrayList<>();
    public final List<Consumer<? super Hint>> listeners = new ArrayList<>();
    public boolean closed;
    private Supplier<CompletableFuture<?>> answer = CompletableFuture::new;

    /** From now on every request gets this. */
    public void answer(Supplier<CompletableFuture<?>> answer) {
        this.answer = answer;
    }

    @SuppressWarnings("unchecked") // the test lays down what fits the verb it calls
    private <T> CompletionStage<T> next(Object request) {
        asked.add(request);
        return (CompletionStage<T>) answer.get();
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return next(query);
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        return next(commit);
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return next(request);
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        return next(request);
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return next(what);
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(Set.of(), new Limits(1 << 20, 1 << 24, 1_000, Duration.ofSeconds(30)));
    }

    @Override
    public void close() {
        closed = true;
    }
}
