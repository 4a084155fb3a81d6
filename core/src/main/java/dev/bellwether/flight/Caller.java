// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.observe.BellwetherListener.Source;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Timer.Scheduled;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One call that waits for one key. Answered once; thread-safe. */
final class Caller<V> {
    final CompletableFuture<V> result = new CompletableFuture<>();

    /** The thread that waits, if one does. */
    final @Nullable Mailbox mailbox;

    volatile Deadline deadline;

    /** Runs at the deadline; set while in a flight. */
    volatile @Nullable Scheduled timeout;

    /** Where the answer came from, for the listener. */
    volatile Source source = Source.NOTHING;

    /** Whether its thread runs the loader: then it is not the caller who waits, and its deadline does not count. */
    volatile boolean computing;

    private final Executor executor;
    private final AtomicBoolean answered = new AtomicBoolean();

    /** A blocked caller, whose thread works the mailbox. */
    static <V> Caller<V> blocked(Deadline deadline, Mailbox mailbox) {
        return new Caller<>(deadline, mailbox, Runnable::run);
    }

    /** A caller with a future, whose continuations run on the executor. */
    static <V> Caller<V> async(Deadline deadline, Executor executor) {
        return new Caller<>(deadline, null, executor);
    }

    private Caller(Deadline deadline, @Nullable Mailbox mailbox, Executor executor) {
        this.deadline = deadline;
        this.mailbox = mailbox;
        this.executor = executor;
    }

    @SuppressWarnings("NullAway") // null is a value here where V admits it
    void complete(@Nullable V value, Source from) {
        answer(() -> {
            source = from;
            result.complete(value);
        });
    }

    void fail(Throwable failure) {
        answer(() -> result.completeExceptionally(failure));
    }

    private void answer(Runnable completion) {
        if (!answered.compareAndSet(false, true)) return;
        Scheduled waiting = timeout;
        if (waiting != null) waiting.cancel();
        try {
            executor.execute(completion);
        } catch (RejectedExecutionException closing) {
            completion.run();
        }
        if (mailbox != null) mailbox.wake();
    }

    boolean isDone() {
        return answered.get() || result.isDone();
    }
}
