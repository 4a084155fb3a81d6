// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.codec.Codec;
import dev.bellwether.engine.Engine;
import dev.bellwether.queue.WorkQueue;
import dev.bellwether.queue.Worker;
import dev.bellwether.spi.QueueName;
import dev.bellwether.time.Deadline;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The queues of one Bellwether, or of one colocated view of it. Thread-safe. */
public final class QueueService {
    private final Engine engine;
    private final Set<QueueWorker<?>> workers = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public QueueService(Engine engine) {
        this.engine = engine;
    }

    /** @throws dev.bellwether.error.ClosedException once closed */
    public <T> WorkQueue<T> queue(String name, Codec<T> codec) {
        ensureOpen();
        QueueName address = engine.queue(engine.prefix("q", name));
        Mailbox<T> box = new Mailbox<>(engine, name, address, Objects.requireNonNull(codec));
        return new DefaultWorkQueue<>(this, box, DefaultWorkQueue.USUAL_BOUND);
    }

    <T> Worker start(Mailbox<T> box, WorkerSettings<T> settings) {
        ensureOpen();
        QueueWorker<T> worker = new QueueWorker<>(box, settings, workers::remove);
        workers.add(worker);
        if (closed) worker.close(); // it may have been overlooked
        return worker.start();
    }

    /** Has the workers of the queue in this process look at once. */
    void wake(QueueName queue) {
        for (QueueWorker<?> worker : workers) {
            if (worker.box().queue().equals(queue)) worker.hinted();
        }
    }

    void ensureOpen() {
        if (closed) throw engine.closed();
        engine.ensureOpen();
    }

    /**
     * Begins to end all workers, as {@code Worker.close} does; nothing new begins. The future completes once they have
     * ended, within the grace period and a little more. Idempotent.
     */
    public CompletableFuture<Void> closing() {
        closed = true;
        return CompletableFuture.allOf(
                workers.stream().map(QueueWorker::shutdown).toArray(CompletableFuture<?>[]::new));
    }

    /** Waits for {@link #closing}; bounded, throws nothing. */
    public void close() {
        Deadline limit =
                engine.within(engine.grace().plus(engine.requestTimeout().multipliedBy(8)));
        QueueWorker.awaitClosed(closing(), limit);
    }
}
