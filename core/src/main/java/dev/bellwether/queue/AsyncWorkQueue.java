// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.queue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The same acts as {@link WorkQueue}, without blocking. Futures fail with the same exceptions; they complete on the
 * caller's thread or on the executor, never on a thread of the backend.
 */
public interface AsyncWorkQueue<T> {
    CompletableFuture<String> enqueue(T message);

    CompletableFuture<String> enqueue(T message, Duration delay);

    CompletableFuture<String> enqueue(T message, Envelope envelope);

    CompletableFuture<List<String>> enqueueAll(Collection<? extends T> messages);

    CompletableFuture<Boolean> cancel(String id);

    CompletableFuture<Void> pause();

    CompletableFuture<Void> resume();

    CompletableFuture<WorkQueue.Stats> stats();

    CompletableFuture<List<T>> peek(int limit);

    WorkQueue<T> sync();
}
