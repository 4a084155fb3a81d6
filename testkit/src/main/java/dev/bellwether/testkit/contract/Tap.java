// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.OutcomeUnknownException;
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
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Subscription;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A backend through which one process talks: it counts what is asked, and lets a test decide what becomes of it. */
public final class Tap implements KvBackend {
    /** What becomes of a request. */
    public enum Fate {
        /** It is served. */
        SERVED,
        /** It is refused without effect. */
        REFUSED,
        /** It takes effect, and the answer is lost at once. */
        ANSWER_LOST,
        /** It vanishes: no effect, and never an answer. */
        SWALLOWED,
        /** It takes effect, and there is never an answer. */
        ANSWER_SWALLOWED
    }

    private final KvBackend inner;
    private final List<Object> requests = new CopyOnWriteArrayList<>();
    private final List<Consumer<? super Hint>> listeners = new CopyOnWriteArrayList<>();
    private volatile Function<Object, Fate> fate = request -> Fate.SERVED;
    private volatile boolean hintless;

    public Tap(KvBackend inner) {
        this.inner = inner;
    }

    /** Decides about each request: a {@link LeaseRequest}, {@link Commit}, {@link Query} or another request of the SPI. */
    public void decide(Function<Object, Fate> decision) {
        fate = decision;
    }

    public void serveAll() {
        fate = request -> Fate.SERVED;
    }

    /** Whether hints are dropped. */
    public void dropHints(boolean drop) {
        hintless = drop;
    }

    /** Tells the process that the store may have forgotten. */
    public void doubt() {
        listeners.forEach(listener -> listener.accept(new Hint.Doubt(1)));
    }

    /** Everything that was asked since the last {@link #forget}, in order. */
    public List<Object> requests() {
        return List.copyOf(requests);
    }

    public long count(Predicate<Object> which) {
        return requests.stream().filter(which).count();
    }

    /** Whether a request is a commit with such a mutation. */
    public static Predicate<Object> with(Class<? extends Mutation> type) {
        return request ->
                request instanceof Commit commit && commit.mutations().stream().anyMatch(type::isInstance);
    }

    public void forget() {
        requests.clear();
    }

    private <T> CompletionStage<T> send(Object request, Supplier<CompletionStage<T>> sending) {
        requests.add(request);
        return switch (fate.apply(request)) {
            case SERVED -> sending.get();
            case REFUSED ->
                CompletableFuture.failedFuture(new BackendUnavailableException("refused by the test", null));
            case ANSWER_LOST ->
                sending.get().handle((answer, failure) -> {
                    throw new OutcomeUnknownException("answer dropped by the test", null);
                });
            case SWALLOWED -> new CompletableFuture<>();
            case ANSWER_SWALLOWED -> {
                CompletionStage<T> unheard = sending.get();
                yield unheard.thenCompose(answer -> new CompletableFuture<>());
            }
        };
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return send(query, () -> inner.read(query));
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        return send(commit, () -> inner.commit(commit));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return send(request, () -> inner.acquire(request));
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        return send(request, () -> inner.claim(request));
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return send(what, () -> inner.inspect(what));
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        listeners.add(listener);
        Subscription below = inner.listen(hint -> {
            if (!hintless) listener.accept(hint);
        });
        return () -> {
            listeners.remove(listener);
            below.close();
        };
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
