// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.error.ClosedException;
import dev.bellwether.error.RejectedException;
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
import dev.bellwether.spi.Power;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Subscription;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A {@link KvBackend} within this JVM, without a server. Several services may share one. Thread-safe.
 *
 * <p>Atomic across all keys. Every request is answered before the method returns, on the caller's thread; hints are handed
 * to listeners on the thread that caused them, after the change, outside any lock: a listener that blocks delays that
 * caller. Its clock starts at the wall clock and then runs with the monotonic one, so that steps of the wall clock neither
 * end nor prolong anything. What has expired is absent at once; its memory is reclaimed within about two seconds. Nothing
 * survives the process.
 */
public final class MemoryBackend implements KvBackend {
    private static final System.Logger LOG = System.getLogger("dev.bellwether.memory");

    private static final Limits LIMITS =
            new Limits(64 << 20, 256L << 20, 100_000, Duration.ofMillis(RequestMemory.KEPT_MILLIS));

    private static final Set<Power> POWERS =
            EnumSet.of(Power.CROSS_PARTITION, Power.ORDERED_SCAN, Power.SNAPSHOT_SCAN, Power.PUSHED_HINTS);

    private final Store store;
    private final Set<Consumer<? super Hint>> listeners = new CopyOnWriteArraySet<>();
    private volatile boolean closed;

    private MemoryBackend(Timer timer, long maxEntries, long maxBytes) {
        this.store = new Store(timer, maxEntries, maxBytes);
    }

    /** A store of its own, on the system's clocks, without a bound of its own. */
    public static MemoryBackend create() {
        return builder().build();
    }

    /** A store of its own, on this timer. */
    public static MemoryBackend on(Timer timer) {
        return builder().time(timer).build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** How a memory backend is made. For one thread. */
    public static final class Builder {
        private Timer timer = Timer.system();
        private long maxEntries = Long.MAX_VALUE;
        private long maxBytes = Long.MAX_VALUE;

        private Builder() {}

        public Builder time(Timer timer) {
            this.timer = Objects.requireNonNull(timer, "the timer is null");
            return this;
        }

        /**
         * How many entries and live messages it holds at most (no bound); more are refused with
         * {@code RejectedException}, nothing is evicted.
         */
        public Builder maxEntries(long entries) {
            if (entries < 1) throw new IllegalArgumentException("maxEntries is " + entries + "; it must be 1 or more");
            maxEntries = entries;
            return this;
        }

        /** How many bytes of names, values and payloads it holds at most (no bound); more are refused likewise. */
        public Builder maxBytes(long bytes) {
            if (bytes < 1) throw new IllegalArgumentException("maxBytes is " + bytes + "; it must be 1 or more");
            maxBytes = bytes;
            return this;
        }

        public MemoryBackend build() {
            return new MemoryBackend(timer, maxEntries, maxBytes);
        }
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        Objects.requireNonNull(query, "the query is null");
        return closed ? failed() : CompletableFuture.completedFuture(store.read(query));
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        Objects.requireNonNull(commit, "the commit is null");
        Sizes.check(commit, LIMITS);
        return step(hints -> store.commit(commit, hints));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        Objects.requireNonNull(request, "the request is null");
        return step(hints -> store.acquire(request, hints));
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        Objects.requireNonNull(request, "the request is null");
        return step(hints -> store.claim(request, hints));
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        Objects.requireNonNull(what, "the inspection is null");
        return step(hints -> store.inspect(what));
    }

    private <T> CompletionStage<T> step(Function<HintList, T> step) {
        if (closed) return failed();
        HintList hints = new HintList();
        T reply;
        try {
            reply = step.apply(hints);
        } catch (RejectedException full) {
            return CompletableFuture.failedFuture(full);
        }
        if (!hints.isEmpty()) hints.list().forEach(this::tell);
        return CompletableFuture.completedFuture(reply);
    }

    private void tell(Hint hint) {
        for (Consumer<? super Hint> listener : listeners) {
            try {
                listener.accept(hint);
            } catch (RuntimeException failure) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "a listener for hints threw; the others are told all the same",
                        failure);
            }
        }
    }

    private static <T> CompletionStage<T> failed() {
        return CompletableFuture.failedFuture(new ClosedException("this memory backend is closed", null));
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        // A wrapper of its own, so that one consumer may listen twice and end each by itself.
        Consumer<Hint> own = listener::accept;
        listeners.add(own);
        return () -> listeners.remove(own);
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(POWERS, LIMITS);
    }

    @Override
    public void close() {
        closed = true;
        listeners.clear();
        store.close();
    }

    @Override
    public String toString() {
        return "memory backend (" + store + (closed ? ", closed)" : ")");
    }

    /** The hints that one step brought forth, told once the step is over. */
    static final class HintList {
        private java.util.@org.jspecify.annotations.Nullable ArrayList<Hint> hints;

        void add(Hint hint) {
            if (hints == null) hints = new java.util.ArrayList<>(4);
            hints.add(hint);
        }

        boolean isEmpty() {
            return hints == null;
        }

        List<Hint> list() {
            return hints == null ? List.of() : hints;
        }
    }
}
