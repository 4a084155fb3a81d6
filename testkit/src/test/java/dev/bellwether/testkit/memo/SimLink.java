// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.memo;

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
import dev.bellwether.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The network between one simulated process and its store: slow, out of order, and faulty by chance. For one thread. */
final class SimLink implements KvBackend {
    /** No message is under way for longer. */
    static final Duration SLOWEST = Duration.ofMillis(40);

    /** No copy of a request arrives later. */
    private static final Duration LATEST_COPY = Duration.ofSeconds(2);

    /** How often what goes wrong, of 1000. */
    record Faults(int lostRequests, int lostReplies, int lostHints, int doubled) {
        static final Faults NONE = new Faults(0, 0, 0, 0);
    }

    /** Sees each commit when it reaches the store, and its answer. */
    interface Watcher {
        void sent(Commit commit);

        void applied(Commit commit, CommitReply reply);
    }

    private final KvBackend store;
    private final ManualTime time;
    private final Random random;
    private final SimProcess process;
    private final Faults faults;
    private final Watcher watcher;
    private final List<Consumer<? super Hint>> listeners = new ArrayList<>();

    SimLink(KvBackend store, ManualTime time, Random random, SimProcess process, Faults faults, Watcher watcher) {
        this.store = store;
        this.time = time;
        this.random = random;
        this.process = process;
        this.faults = faults;
        this.watcher = watcher;
        Subscription unused = store.listen(this::hinted);
    }

    private boolean happens(int of1000) {
        return random.nextInt(1_000) < of1000;
    }

    private void later(Runnable arrival) {
        Object unused = time.after(Duration.ofNanos(random.nextLong(SLOWEST.toNanos())), arrival);
    }

    private void muchLater(Runnable arrival) {
        Object unused = time.after(Duration.ofNanos(random.nextLong(LATEST_COPY.toNanos())), arrival);
    }

    private void hinted(Hint hint) {
        if (happens(faults.lostHints())) return;
        later(() -> process.run(() -> List.copyOf(listeners).forEach(listener -> listener.accept(hint))));
    }

    private <T> CompletionStage<T> send(Supplier<CompletionStage<T>> request) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        if (!process.isAlive()) return answer;
        if (!happens(faults.lostRequests())) later(() -> arrive(request, answer));
        if (happens(faults.doubled())) muchLater(() -> arrive(request, new CompletableFuture<>()));
        return answer;
    }

    private <T> void arrive(Supplier<CompletionStage<T>> request, CompletableFuture<T> answer) {
        CompletionStage<T> stage = request.get();
        if (happens(faults.lostReplies())) return;
        stage.whenComplete((value, failure) -> later(() -> process.run(() -> {
            if (failure != null) answer.completeExceptionally(failure);
            else answer.complete(value);
        })));
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return send(() -> store.read(query));
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        watcher.sent(commit);
        return send(() -> store.commit(commit).thenApply(reply -> {
            watcher.applied(commit, reply);
            return reply;
        }));
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
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public Capabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public void close() {
        listeners.clear();
    }
}
