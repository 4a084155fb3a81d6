// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.observe.BellwetherListener.Source;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Timer.Scheduled;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One call that waits for one key. Answered once; thread-safe. */
final class Caller<V> {
    final CompletableFuture<V> result = new CompletableFuture<>();

    /** The thread that waits, if one does. */
    final @Nullable Mailbox mailbox;

    volatile Deadline deadline;

    /** Where the answer came from, for the listener. */
    volatile Source source = Source.NOTHING;

    /** It is the one on whose behalf this process leads: it does not wait for another, so its deadline does not count. */
    volatile boolean leads;

    /** Its thread is inside the loader. */
    volatile boolean computing;

    /** It came after the computation had begun, and so perhaps after an invalidation that this did not see. */
    volatile boolean late;

    /** Its deadline came while the first look was under way. */
    volatile boolean overdue;

    /** Looks taken on its behalf since it came. */
    int looks;

    /** Why it computes without the store; null if it does not. */
    volatile @Nullable Throwable unavailable;

    private final Executor executor;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final AtomicReference<@Nullable Scheduled> timeout = new AtomicReference<>();
    private volatile @Nullable Flight<?, V> flight;

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
        this.result.whenComplete((value, failure) -> {
            disarm();
            Flight<?, V> joined = flight;
            if (result.isCancelled() && joined != null) joined.leave(this);
        });
    }

    /** It waits in this flight from now on; the timeout replaces that of the flight before. */
    void waitsIn(Flight<?, V> joined, Scheduled atDeadline) {
        flight = joined;
        Scheduled before = timeout.getAndSet(atDeadline);
        if (before != null) before.cancel();
        if (isDone()) {
            disarm();
            joined.leave(this);
        }
    }

    void disarm() {
        Scheduled waiting = timeout.getAndSet(null);
        if (waiting != null) waiting.cancel();
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
        disarm();
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
