// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.error.ClosedException;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Subscription;
import dev.bellwether.spi.Version;
import dev.bellwether.store.Entry;
import dev.bellwether.store.KvStore;
import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One watch over some keys of one store. Thread-safe. */
final class Watcher<K, V> implements KvStore.Watch {
    /*
     * Reading, then telling
     * ---------------------
     * A watch reads its keys, which arms a hint for the next change, and tells what differs from what it has told. It
     * looks again at a hint (a doubt is one too), when an entry's time is over by what the last reading said, and at the
     * latest after POLL, since hints may be lost. One reading is under way at a time, and the next is sent only after the
     * answer to the one before, so what a reading shows is never older than what was shown before; where a store falls
     * back behind its own past nevertheless, an older version is not told (State.isNews).
     *
     * Readings come in on the driver's thread and are put into `untold`, the latest of each key; one task at a time on the
     * executor takes them out and tells them, outside of the lock. Whatever is put in while it runs, it takes as well, or
     * it has ended and another is sent.
     */
    private static final Duration POLL = Duration.ofSeconds(5);

    /** After a failed reading: soon enough to notice a store that is back, seldom enough to leave it alone. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private static final System.Logger LOG = System.getLogger("dev.bellwether.store");

    /** What was last told of a key; null before the first time. */
    private static final class State<K> {
        final K key;

        @Nullable
        KvEntry last;

        Version highest = Version.NONE;

        State(K key) {
            this.key = key;
        }

        boolean isNews(KvEntry now) {
            KvEntry before = last;
            boolean stands = now instanceof KvEntry.Present;
            if (before == null) return true;
            if (!stands) return before instanceof KvEntry.Present && !isOlder(now);
            return now.version().compareTo(highest) > 0;
        }

        private boolean isOlder(KvEntry absent) {
            return !absent.version().equals(Version.NONE) && absent.version().compareTo(highest) < 0;
        }

        void told(KvEntry now) {
            last = now;
            if (now.version().compareTo(highest) > 0) highest = now.version();
        }
    }

    private final TypedStore<K, V> store;
    private final Consumer<? super Entry<K, V>> reaction;
    private final Consumer<? super Watcher<?, ?>> onEnd;
    private final Map<KvKey, State<K>> states = new LinkedHashMap<>();
    private final List<KvKey> places;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final Map<KvKey, KvEntry> untold = new LinkedHashMap<>();
    private @Nullable Scheduled nextLook;
    private boolean reading;
    private boolean again;
    private boolean telling;
    private volatile boolean closed;

    /** @param onEnd told once it has ended */
    Watcher(
            TypedStore<K, V> store,
            List<? extends K> keys,
            Consumer<? super Entry<K, V>> reaction,
            Consumer<? super Watcher<?, ?>> onEnd) {
        this.store = store;
        this.onEnd = onEnd;
        this.reaction = reaction;
        for (K key : new LinkedHashSet<>(keys)) states.put(store.place(key), new State<>(key));
        this.places = List.copyOf(states.keySet());
    }

    Watcher<K, V> start() {
        store.engine().ensureOpen();
        if (places.isEmpty()) {
            close();
            return this;
        }
        for (KvKey place : places) register(store.engine().hints().onChanged(place, this::look));
        look();
        return this;
    }

    private void register(Subscription subscription) {
        lock.lock();
        try {
            if (!closed) {
                subscriptions.add(subscription);
                return;
            }
        } finally {
            lock.unlock();
        }
        subscription.close();
    }

    private void look() {
        lock.lock();
        try {
            if (closed) return;
            again = reading;
            if (reading) return;
            reading = true;
            if (nextLook != null) nextLook.cancel();
        } finally {
            lock.unlock();
        }
        store.read(places, true, store.deadline()).whenComplete(this::seen);
    }

    private void seen(@Nullable Reading answer, @Nullable Throwable failure) {
        if (failure != null && Step.unwrapped(failure) instanceof ClosedException) close();
        boolean lookAgain;
        boolean tell = false;
        lock.lock();
        try {
            reading = false;
            if (closed) return;
            lookAgain = again;
            again = false;
            if (answer != null) tell = collect(answer) && !telling;
            telling |= tell;
            if (!lookAgain) {
                Duration pause = answer != null ? untilNextLook(answer) : AFTER_FAILURE;
                nextLook = store.engine().timer().after(pause, this::look);
            }
        } finally {
            lock.unlock();
        }
        if (tell) handOver();
        if (lookAgain) look();
    }

    /** Whether there is something to tell. */
    private boolean collect(Reading answer) {
        for (KvEntry entry : answer.entries()) {
            State<K> state = states.get(entry.key());
            if (state == null || !state.isNews(entry)) continue;
            state.told(entry);
            untold.put(entry.key(), entry);
        }
        return !untold.isEmpty();
    }

    private static Duration untilNextLook(Reading answer) {
        Duration pause = POLL;
        for (KvEntry entry : answer.entries()) {
            if (entry instanceof KvEntry.Present present
                    && present.expiresAtMillis().isPresent()) {
                long left = present.expiresAtMillis().getAsLong() - answer.now().micros() / 1_000;
                pause = Durations.min(pause, Duration.ofMillis(Math.max(1, left)));
            }
        }
        return pause;
    }

    private void handOver() {
        try {
            store.engine().executor().execute(this::tell);
        } catch (RejectedExecutionException shutDown) {
            close();
        }
    }

    private void tell() {
        for (List<KvEntry> batch = take(); !batch.isEmpty(); batch = take()) {
            for (KvEntry entry : batch) {
                if (closed) return;
                tell(entry);
            }
        }
    }

    /** What is to be told now; if that is nothing, the telling has ended. */
    private List<KvEntry> take() {
        lock.lock();
        try {
            List<KvEntry> batch = List.copyOf(untold.values());
            untold.clear();
            telling = !batch.isEmpty();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void tell(KvEntry entry) {
        State<K> state = states.get(entry.key());
        if (state == null) return;
        try {
            reaction.accept(StoredEntry.of(store, state.key, entry));
        } catch (Throwable failure) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the reaction to a change of " + state.key + " in store " + store.name()
                            + " failed; the watch goes on",
                    failure);
        }
    }

    @Override
    public CompletionStage<Void> ended() {
        return ended;
    }

    @Override
    @SuppressWarnings("NullAway") // a Void future has no value but null
    public void close() {
        List<Subscription> open;
        lock.lock();
        try {
            if (closed) return;
            closed = true;
            if (nextLook != null) nextLook.cancel();
            open = List.copyOf(subscriptions);
            subscriptions.clear();
        } finally {
            lock.unlock();
        }
        open.forEach(Subscription::close);
        onEnd.accept(this);
        ended.complete(null);
    }
}
