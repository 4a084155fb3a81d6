// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.memo.Loader;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One call of a bulk loader for all keys of a {@code getAll} that this process leads. */
final class BulkBatch<K, V> implements Loading<K, V> {
    /*
     * The batch goes off when each key is decided: it is either to be loaded, or found, or led by another process. A key
     * that is led here only later, since its leader died, is a batch by itself. Nothing is held while waiting for others:
     * what was won is computed and stored first.
     */
    private final Loader.Bulk<K, V> loader;
    private final Consumer<Runnable> userThread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<K> undecided;
    private Map<K, BiConsumer<@Nullable V, @Nullable Throwable>> wanted = new LinkedHashMap<>();

    BulkBatch(Loader.Bulk<K, V> loader, Collection<K> keys, Consumer<Runnable> userThread) {
        this.loader = loader;
        this.undecided = new HashSet<>(keys);
        this.userThread = userThread;
    }

    /** The single key as a batch. */
    static <K, V> Loading<K, V> single(Loader.Bulk<K, V> loader) {
        return Loading.blocking((key, context) -> loader.loadAll(Set.of(key)).get(key));
    }

    @Override
    public void load(K key, LoadContext<V> context, BiConsumer<@Nullable V, @Nullable Throwable> done) {
        lock.lock();
        try {
            wanted.put(key, done);
        } finally {
            lock.unlock();
        }
        goOff(key, Runnable::run);
    }

    /** The key is not, or not yet, to be loaded here. */
    void decided(K key) {
        goOff(key, userThread);
    }

    private void goOff(K key, Consumer<Runnable> thread) {
        Map<K, BiConsumer<@Nullable V, @Nullable Throwable>> batch;
        lock.lock();
        try {
            undecided.remove(key);
            if (!undecided.isEmpty() || wanted.isEmpty()) return;
            batch = wanted;
            wanted = new LinkedHashMap<>();
        } finally {
            lock.unlock();
        }
        thread.accept(() -> load(batch));
    }

    private void load(Map<K, BiConsumer<@Nullable V, @Nullable Throwable>> batch) {
        Map<K, V> loaded;
        try {
            loaded = loader.loadAll(Collections.unmodifiableSet(batch.keySet()));
            if (loaded == null) throw new NullPointerException("the bulk loader returned null; return an empty map");
        } catch (Throwable failure) { // also errors: nobody may be left waiting
            batch.values().forEach(done -> done.accept(null, failure));
            return;
        }
        batch.forEach((key, done) -> done.accept(loaded.get(key), null));
    }
}
