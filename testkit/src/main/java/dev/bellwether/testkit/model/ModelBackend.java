// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

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
import dev.bellwether.time.Timer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The model as a backend, for tests: slow, and exactly what the SPI says.
 *
 * <p>Thread-safe. A reply is complete when the method returns; by then the hints of the step have reached the listeners,
 * on the caller's thread, with no lock held. The store's clock is {@link Timer#epochMicros()}. Closing one client leaves the others
 * and the store as they are.
 */
public final class ModelBackend implements KvBackend {
    private static final System.Logger LOG = System.getLogger(ModelBackend.class.getName());

    private final Shared shared;
    private final long client;
    private final List<Consumer<? super Hint>> listeners = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /** What all clients of one store share. */
    private record Shared(ModelStore store, Timer timer, AtomicLong names, Map<Long, ModelBackend> clients) {}

    /** The first client of a new store. */
    public ModelBackend(Timer timer) {
        this(new Shared(new ModelStore(), timer, new AtomicLong(), new ConcurrentHashMap<>()));
    }

    private ModelBackend(Shared shared) {
        this.shared = shared;
        this.client = shared.names().incrementAndGet();
    }

    /** Another client of the same store, as another process would be. */
    public ModelBackend another() {
        return new ModelBackend(shared);
    }

    /** The store behind all clients. */
    public ModelStore store() {
        return shared.store();
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return send(new Request.Read(required("query", query)));
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        Bounds.check(required("commit", commit), capabilities().limits());
        return send(new Request.Change(commit));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return send(new Request.Acquire(required("lease request", request)));
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        return send(new Request.Consume(required("claim request", request)));
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return send(new Request.Look<>(required("inspection", what)));
    }

    private <R> CompletionStage<R> send(Request<R> request) {
        if (closed) return CompletableFuture.failedStage(new ClosedException("the model backend is closed", null));
        Step<R> step = shared.store().step(client, request, shared.timer().epochMicros());
        step.hints().forEach(this::deliver);
        return CompletableFuture.completedStage(step.reply());
    }

    private void deliver(Told told) {
        ModelBackend addressee = shared.clients().get(told.client());
        if (addressee != null) addressee.listeners.forEach(listener -> tell(listener, told.hint()));
    }

    private static void tell(Consumer<? super Hint> listener, Hint hint) {
        try {
            listener.accept(hint);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a listener failed on " + hint, e);
        }
    }

    private static <T> T required(String what, T argument) {
        return Objects.requireNonNull(argument, () -> "the " + what + " is null");
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        Consumer<? super Hint> wanted = required("listener", listener);
        if (closed) return () -> {};
        Consumer<Hint> once = wanted::accept; // the same listener may be added twice and is then removed one by one
        listeners.add(once);
        shared.clients().put(client, this);
        return () -> listeners.remove(once);
    }

    @Override
    public Capabilities capabilities() {
        return ModelStore.CAPABILITIES;
    }

    @Override
    public void close() {
        closed = true;
        shared.clients().remove(client);
        listeners.clear();
    }
}
