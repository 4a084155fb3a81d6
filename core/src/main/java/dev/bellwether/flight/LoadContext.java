// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.lease.Tenure;
import dev.bellwether.memo.Loader;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** One computation as its loader sees it. */
final class LoadContext<V> implements Loader.Context<V> {
    private final @Nullable Tenure tenure;
    private final Deadline limit;
    private final @Nullable V previous;
    private final ConcurrentLinkedQueue<String> tags = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Duration ttl;
    private volatile boolean stored = true;

    /** @param tenure of the leader, or null where nothing can be stored */
    LoadContext(@Nullable Tenure tenure, Deadline limit, @Nullable V previous) {
        this.tenure = tenure;
        this.limit = limit;
        this.previous = previous;
    }

    @Override
    public void ttl(Duration ttl) {
        this.ttl = Durations.notNegative("the ttl set by the loader", ttl);
    }

    @Override
    public void tag(String... tags) {
        this.tags.addAll(List.of(tags));
    }

    @Override
    public void doNotStore() {
        stored = false;
    }

    @Override
    public Optional<V> previous() {
        return Optional.ofNullable(previous);
    }

    @Override
    public Duration remaining() {
        return limit.remaining();
    }

    @Override
    public boolean isLeading() {
        return tenure != null && tenure.isHeld();
    }

    @Override
    public long fence() {
        return tenure == null ? 0 : tenure.tokens().first();
    }

    @Nullable
    Duration chosenTtl() {
        return ttl;
    }

    Collection<String> chosenTags() {
        return tags;
    }

    boolean isStored() {
        return stored;
    }
}
