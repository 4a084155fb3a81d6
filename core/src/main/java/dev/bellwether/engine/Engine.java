// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.engine;

import dev.bellwether.error.ClosedException;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.RequestId;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the services of one Bellwether share: backend, time, threads, names and identity. Thread-safe. A colocated view
 * shares everything but the partition.
 */
public final class Engine {
    private static final System.Logger LOG = System.getLogger("dev.bellwether");

    private final Shared shared;
    private final @Nullable Partition partition;

    private record Shared(
            KvBackend backend,
            Timer timer,
            Executor executor,
            Settings settings,
            Bytes namespace,
            Hints hints,
            long process,
            AtomicLong counter,
            java.util.concurrent.atomic.AtomicBoolean closed) {}

    /**
     * What the user chose.
     *
     * @param requestTimeout how long one attempt at one request may take
     * @param label how this process appears as the holder of a lease
     * @param listener told what happens, or null if nobody listens
     */
    public record Settings(
            String namespace,
            Duration requestTimeout,
            Duration grace,
            String label,
            @Nullable BellwetherListener listener) {}

    public Engine(KvBackend backend, Timer timer, Executor executor, Settings settings) {
        this.shared = new Shared(
                backend,
                timer,
                executor,
                settings,
                Bytes.utf8(escape(settings.namespace()) + ":"),
                new Hints(backend),
                timer.newIdentity(),
                new AtomicLong(),
                new java.util.concurrent.atomic.AtomicBoolean());
        this.partition = null;
    }

    private Engine(Shared shared, @Nullable Partition partition) {
        this.shared = shared;
        this.partition = partition;
    }

    /** The same engine, whose names all lie in one partition. */
    public Engine colocated(String partition) {
        return new Engine(shared, new Partition(shared.namespace.plus(Bytes.utf8(partition))));
    }

    public boolean isColocated() {
        return partition != null;
    }

    public KvBackend backend() {
        return shared.backend;
    }

    public Timer timer() {
        return shared.timer;
    }

    /** Where user code runs that has no caller waiting for it. */
    public Executor executor() {
        return shared.executor;
    }

    public Duration requestTimeout() {
        return shared.settings.requestTimeout();
    }

    public Duration grace() {
        return shared.settings.grace();
    }

    public String label() {
        return shared.settings.label();
    }

    public Hints hints() {
        return shared.hints;
    }

    public long process() {
        return shared.process;
    }

    public Owner newOwner() {
        return new Owner(shared.process, shared.counter.incrementAndGet());
    }

    public RequestId newRequestId() {
        return new RequestId(shared.process, shared.counter.incrementAndGet());
    }

    /** {@code namespace:kind:service:} as the beginning of names. */
    public Bytes prefix(String kind, String service) {
        return shared.namespace.plus(Bytes.utf8(kind + ":" + escape(service) + ":"));
    }

    public KvKey key(Bytes name) {
        return new KvKey(partitionOf(name), name);
    }

    public LeaseName lease(Bytes name) {
        return new LeaseName(partitionOf(name), name);
    }

    public QueueName queue(Bytes name) {
        return new QueueName(partitionOf(name), name);
    }

    private Partition partitionOf(Bytes name) {
        return partition != null ? partition : new Partition(name);
    }

    /** Sends a request, again where that is safe, until the deadline: see {@link Request}. */
    public <T> CompletableFuture<T> send(String what, Deadline deadline, Supplier<CompletionStage<T>> request) {
        return new Request<>(this, what, deadline, request, true, true).start();
    }

    /** Sends a request that changes nothing, again until the deadline; it never ends as of unknown outcome. */
    public <T> CompletableFuture<T> look(String what, Deadline deadline, Supplier<CompletionStage<T>> request) {
        return new Request<>(this, what, deadline, request, true, false).start();
    }

    /** Sends a request once. */
    public <T> CompletableFuture<T> sendOnce(String what, Deadline deadline, Supplier<CompletionStage<T>> request) {
        return new Request<>(this, what, deadline, request, false, true).start();
    }

    public Deadline within(Duration length) {
        return Deadline.after(shared.timer, length);
    }

    /** Tells the listener, if there is one; the event is made only then. */
    public void tell(Consumer<? super BellwetherListener> event) {
        BellwetherListener listener = shared.settings.listener();
        if (listener == null) return;
        try {
            event.accept(listener);
        } catch (RuntimeException failure) {
            LOG.log(System.Logger.Level.WARNING, "a BellwetherListener threw; the event is dropped", failure);
        }
    }

    public boolean isListening() {
        return shared.settings.listener() != null;
    }

    public boolean isClosed() {
        return shared.closed.get();
    }

    /** @throws ClosedException once closed */
    public void ensureOpen() {
        if (isClosed()) throw closed();
    }

    public ClosedException closed() {
        return new ClosedException("this Bellwether (namespace " + shared.settings.namespace() + ") is closed", null);
    }

    /** Ends the hints and refuses further requests; neither backend nor executor is touched. */
    public void close() {
        if (shared.closed.compareAndSet(false, true)) shared.hints.close();
    }

    @Override
    public String toString() {
        return "namespace " + shared.settings.namespace() + (partition == null ? "" : ", partition " + partition.tag());
    }

    private static String escape(String name) {
        if (name.isEmpty())
            throw new IllegalArgumentException("a namespace or service name is empty; give it at least one letter");
        return name.replace("%", "%25").replace(":", "%3A");
    }
}
