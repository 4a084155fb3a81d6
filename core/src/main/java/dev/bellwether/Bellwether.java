// SPDX-License-Identifier: Apache-2.0
package dev.bellwether;

import dev.bellwether.codec.Codec;
import dev.bellwether.codec.Codecs;
import dev.bellwether.delivery.QueueService;
import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Waiting;
import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.flight.MemoService;
import dev.bellwether.kv.StoreService;
import dev.bellwether.lease.LockService;
import dev.bellwether.lock.Locks;
import dev.bellwether.memo.Memoizer;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.queue.WorkQueue;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.store.KvStore;
import dev.bellwether.store.Transactions;
import dev.bellwether.time.Durations;
import dev.bellwether.time.Threads;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/** The services of one namespace on one backend. Make one per process, close it last. Thread-safe. */
public final class Bellwether implements AutoCloseable {
    /** How long {@code close()} waits for leases to be handed back when the store does not answer. */
    private static final Duration HANDING_BACK = Duration.ofSeconds(2);

    private final Engine engine;
    private final MemoService memos;
    private final LockService locks;
    private final QueueService queues;
    private final StoreService stores;
    private final Resources resources;

    /** What ends with the Bellwether that opened it; a colocated view has none. */
    private record Resources(
            @Nullable KvBackend backend, @Nullable ExecutorService executor) {}

    private Bellwether(Engine engine, Resources resources) {
        this.engine = engine;
        this.resources = resources;
        this.memos = new MemoService(engine);
        this.locks = new LockService(engine);
        this.queues = new QueueService(engine);
        this.stores = new StoreService(engine);
    }

    /** Opens the default namespace on a backend that it then owns: closing this closes the backend. */
    public static Bellwether open(KvBackend backend) {
        return builder().owning(backend).build();
    }

    public static Builder builder() {
        return new Options();
    }

    /**
     * A memoizer to be described and built. Keys are strings, numbers, booleans, UUIDs, enums, instants, byte arrays,
     * {@code KvKey}, or records of these.
     */
    public <K, V extends @Nullable Object> Memoizer.Builder<K, V> memoizer(
            String name, Class<K> keys, Class<V> values) {
        return memoizer(name, keys, Codecs.of(values));
    }

    public <K, V extends @Nullable Object> Memoizer.Builder<K, V> memoizer(
            String name, Class<K> keys, Codec<V> values) {
        engine.ensureOpen();
        return memos.memoizer(name, keys, values);
    }

    /**
     * Drops every memoized value of the namespace that carries the tag, in every process. One round trip.
     *
     * @throws BackendUnavailableException nothing was dropped
     * @throws OutcomeUnknownException it may have been dropped; repeating is harmless
     */
    public void invalidateTag(String tag) {
        Objects.requireNonNull(tag, "the tag is null");
        Waiting.join(
                memos.invalidateTag(tag), engine.within(engine.requestTimeout().multipliedBy(6)));
    }

    /** Locks by name: exclusive, shared, semaphores, several at once, elections. */
    public Locks locks() {
        engine.ensureOpen();
        return locks;
    }

    /** A queue of messages of this class. It needs no registration; naming it twice names one queue. */
    public <T> WorkQueue<T> queue(String name, Class<T> messages) {
        return queue(name, Codecs.of(messages));
    }

    public <T> WorkQueue<T> queue(String name, Codec<T> messages) {
        engine.ensureOpen();
        return queues.queue(name, messages);
    }

    /** Typed entries under ordered keys. Naming a store twice names one store. */
    public <K, V> KvStore<K, V> store(String name, Class<K> keys, Class<V> values) {
        return store(name, keys, Codecs.of(values));
    }

    public <K, V> KvStore<K, V> store(String name, Class<K> keys, Codec<V> values) {
        engine.ensureOpen();
        return stores.store(name, keys, values);
    }

    /** Reads, checks and effects that happen together or not at all. */
    public Transactions transactions() {
        engine.ensureOpen();
        return stores.transactions();
    }

    /**
     * A view whose keys, leases and queues share one partition, so that one transaction may span them on a cluster.
     * Closing a view ends what was opened through it and leaves backend and threads alone.
     */
    public Bellwether colocated(String partition) {
        engine.ensureOpen();
        return new Bellwether(engine.colocated(partition), new Resources(null, null));
    }

    /**
     * Ends workers, which first finish what they handle, then watches, candidacies and waits; hands back led keys and
     * leases; then closes an owned backend. Idempotent, bounded by the grace period and a few seconds, throws nothing.
     */
    @Override
    public void close() {
        queues.close();
        stores.close();
        handBack(CompletableFuture.allOf(locks.close(), memos.close()));
        if (engine.isColocated()) return;
        engine.close();
        if (resources.executor() != null) resources.executor().shutdownNow();
        if (resources.backend() != null) resources.backend().close();
    }

    private void handBack(CompletableFuture<?> handingBack) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        handingBack.whenComplete((done, failure) -> over.complete(failure == null));
        Timer.Scheduled limit = engine.timer().after(HANDING_BACK, () -> over.complete(false));
        if (over.isDone()) {
            limit.cancel();
            return;
        }
        try {
            if (Waiting.join(over, engine.within(HANDING_BACK.multipliedBy(2)))) limit.cancel();
        } catch (RuntimeException interrupted) {
            System.getLogger("dev.bellwether")
                    .log(System.Logger.Level.DEBUG, "closed without waiting; what is held frees itself", interrupted);
        }
    }

    /** How a Bellwether is made. For one thread. */
    public interface Builder {
        /** On this backend, which is closed with the Bellwether. */
        Builder owning(KvBackend backend);

        /** On this backend, which somebody else closes, later. */
        Builder using(KvBackend backend);

        /** Separates applications on one backend ("default"). */
        Builder namespace(String name);

        /**
         * Where loaders of background refreshes, lock callbacks and message handlers run, and continuations of futures
         * (a virtual thread each where the JDK has them, else at most 256 threads). Never shut down by us.
         */
        Builder executor(Executor executor);

        /** How long any one request to the backend may take (500 ms). */
        Builder requestTimeout(Duration limit);

        /** How long {@code close()} lets running handlers finish (10 s). */
        Builder grace(Duration limit);

        /** The label under which this process appears as holder of a lease (its process id). */
        Builder owner(String label);

        Builder listener(BellwetherListener listener);

        Builder time(Timer timer);

        /** @throws IllegalStateException without a backend */
        Bellwether build();
    }

    private static final class Options implements Builder {
        private @Nullable KvBackend backend;
        private boolean owned;
        private String namespace = "default";
        private @Nullable Executor executor;
        private Duration requestTimeout = Duration.ofMillis(500);
        private Duration grace = Duration.ofSeconds(10);
        private String owner = "process " + ProcessHandle.current().pid();
        private @Nullable BellwetherListener listener;
        private Timer timer = Timer.system();

        @Override
        public Builder owning(KvBackend backend) {
            this.backend = Objects.requireNonNull(backend, "the backend is null");
            this.owned = true;
            return this;
        }

        @Override
        public Builder using(KvBackend backend) {
            this.backend = Objects.requireNonNull(backend, "the backend is null");
            this.owned = false;
            return this;
        }

        @Override
        public Builder namespace(String name) {
            if (name.isEmpty())
                throw new IllegalArgumentException("the namespace is empty; give it at least one letter");
            this.namespace = name;
            return this;
        }

        @Override
        public Builder executor(Executor executor) {
            this.executor = Objects.requireNonNull(executor, "the executor is null");
            return this;
        }

        @Override
        public Builder requestTimeout(Duration limit) {
            requestTimeout =
                    Durations.between("the request timeout", limit, Duration.ofMillis(1), Duration.ofMinutes(5));
            return this;
        }

        @Override
        public Builder grace(Duration limit) {
            grace = Durations.between("the grace period", limit, Duration.ZERO, Duration.ofHours(1));
            return this;
        }

        @Override
        public Builder owner(String label) {
            owner = Objects.requireNonNull(label, "the label is null");
            return this;
        }

        @Override
        public Builder listener(BellwetherListener listener) {
            this.listener = Objects.requireNonNull(listener, "the listener is null");
            return this;
        }

        @Override
        public Builder time(Timer timer) {
            this.timer = Objects.requireNonNull(timer, "the timer is null");
            return this;
        }

        @Override
        public Bellwether build() {
            if (backend == null) {
                throw new IllegalStateException("no backend: say owning(MemoryBackend.create()) or using(yours)");
            }
            ExecutorService own = executor == null ? Threads.workers("worker") : null;
            Executor chosen = executor != null ? executor : Objects.requireNonNull(own);
            Engine engine = new Engine(
                    backend, timer, chosen, new Engine.Settings(namespace, requestTimeout, grace, owner, listener));
            return new Bellwether(engine, new Resources(owned ? backend : null, own));
        }
    }

    @Override
    public String toString() {
        return "Bellwether (" + engine + ")";
    }
}
