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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The connection of one process to its store, which a test can cut, silence and listen to. Thread-safe; closing it closes
 * the backend behind it.
 */
public final class Wire implements KvBackend {
    /** What becomes of requests and hints. */
    public enum State {
        UP,
        /** Requests are refused at once; hints are lost. */
        CUT,
        /** Neither requests nor hints arrive, and nobody says so. */
        SILENT,
        /** Requests take effect, and neither answers nor hints arrive. */
        DEAF
    }

    private final KvBackend store;
    private final List<Consumer<? super Hint>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicInteger requests = new AtomicInteger();
    private volatile State state = State.UP;
    private volatile Predicate<? super Hint> passing = hint -> true;
    private volatile Consumer<? super Commit> watcher = commit -> {};

    /** Lies between a process and this backend. */
    public Wire(KvBackend store) {
        this.store = store;
        Subscription unused = store.listen(this::hinted);
    }

    /** What becomes of requests and hints from now on. */
    public void become(State next) {
        state = next;
    }

    /** Only these hints arrive from now on. */
    public void pass(Predicate<? super Hint> wanted) {
        passing = wanted;
    }

    /** Sees each commit before it is sent. */
    public void watch(Consumer<? super Commit> commits) {
        watcher = commits;
    }

    /** How many requests were made so far, answered or not. */
    public int requests() {
        return requests.get();
    }

    /** Brings a hint that the store did not send. */
    public void hint(Hint hint) {
        listeners.forEach(listener -> listener.accept(hint));
    }

    private void hinted(Hint hint) {
        if (state == State.UP && passing.test(hint)) hint(hint);
    }

    private <T> CompletionStage<T> send(Supplier<CompletionStage<T>> request) {
        requests.incrementAndGet();
        return switch (state) {
            case UP -> request.get();
            case CUT ->
                CompletableFuture.failedStage(new BackendUnavailableException("the wire is cut by the test", null));
            case SILENT -> new CompletableFuture<>();
            case DEAF -> {
                CompletionStage<T> unheard = request.get();
                yield unheard.thenCompose(answer -> new CompletableFuture<>());
            }
        };
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return send(() -> store.read(query));
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        watcher.accept(commit);
        return send(() -> store.commit(commit));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return send(() -> store.acquire(request));
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        return send(() -> store.claim(request));
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return send(() -> store.inspect(what));
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        Consumer<Hint> own = listener::accept; // by identity
        listeners.add(own);
        return () -> listeners.remove(own);
    }

    @Override
    public Capabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public void close() {
        listeners.clear();
        store.close();
    }
}
