// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.codec.Codec;
import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Keys;
import dev.bellwether.engine.Waiting;
import dev.bellwether.memo.Memoizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** The memoizers of one Bellwether. Thread-safe. */
public final class MemoService {
    private final Engine engine;
    private final Epochs epochs;
    private final ConcurrentHashMap<String, Built> built = new ConcurrentHashMap<>();

    /** A memoizer, and where in the program it was built. */
    private record Built(Memo<?, ?> memo, String place) {}

    public MemoService(Engine engine) {
        this.engine = engine;
        this.epochs = new Epochs(engine);
    }

    public <K, V> Memoizer.Builder<K, V> memoizer(String name, Class<K> keys, Codec<V> values) {
        Objects.requireNonNull(name, "the name of the memoizer is null");
        return new MemoBuilder<>(this, name, keys, Objects.requireNonNull(values, "the codec is null"));
    }

    Executor executor() {
        return engine.executor();
    }

    <K, V> Memo<K, V> register(Policy<K, V> policy, Class<K> keys, Codec<V> codec) {
        engine.ensureOpen();
        String place = place();
        Built earlier = built.get(policy.name());
        Memo<K, V> memo = null;
        if (earlier == null) {
            memo = new Memo<>(engine, epochs, policy, Keys.of(keys), codec);
            earlier = built.putIfAbsent(policy.name(), new Built(memo, place));
        }
        if (earlier != null || memo == null) {
            if (memo != null) memo.close();
            throw new IllegalStateException("memoizer " + policy.name() + " is built twice in this process: first at "
                    + (earlier == null ? "?" : earlier.place()) + ", now at " + place + "; build it once and share it");
        }
        return memo;
    }

    /** The user's line that called us. */
    private static String place() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> !frame.getClassName().startsWith("dev.bellwether.flight.")
                                && !frame.getClassName().equals("dev.bellwether.Bellwether"))
                        .findFirst()
                        .map(Object::toString)
                        .orElse("an unknown place"));
    }

    /** Drops all values with the tag. */
    public CompletableFuture<Void> invalidateTag(String tag) {
        engine.ensureOpen();
        return epochs.bump(epochs.tag(tag), "invalidation of tag " + tag).handle((done, failure) -> {
            for (Built each : built.values()) each.memo().sealAll(); // any of them may turn out to carry the tag
            if (failure != null) throw Waiting.rethrow(failure);
            return null;
        });
    }

    /** Ends all flights; done when led keys have been handed back. */
    public CompletableFuture<?> close() {
        List<CompletableFuture<?>> closing = new ArrayList<>();
        for (Built each : built.values()) closing.add(each.memo().close());
        epochs.close();
        return CompletableFuture.allOf(closing.toArray(new CompletableFuture<?>[0]));
    }
}
