// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One caller in a local line: a blocked thread or a future alike. */
final class Waiter {
    /** Longer waits get no timer: they are ended by whoever waits. */
    static final Duration FOR_EVER = Duration.ofDays(365);

    private final LocalLine line;
    private final LockOptions options;
    private final Duration maxWait;
    private final long sinceNanos;
    private final CompletableFuture<BoundLease> future = new CompletableFuture<>();
    private volatile @Nullable Scheduled timeout;

    Waiter(LocalLine line, LockOptions options, Duration maxWait, long sinceNanos) {
        this.line = line;
        this.options = options;
        this.maxWait = maxWait;
        this.sinceNanos = sinceNanos;
    }

    LockOptions options() {
        return options;
    }

    Duration maxWait() {
        return maxWait;
    }

    CompletableFuture<BoundLease> future() {
        return future;
    }

    /** Starts the limit, and sees to it that nothing is left in line whichever way the wait ends. */
    void begin() {
        if (maxWait.compareTo(FOR_EVER) < 0) {
            timeout = line.engine().timer().after(maxWait, () -> fail(line.timedOut(this)));
        }
        future.whenComplete((lease, failure) -> ended(lease));
    }

    private void ended(@Nullable BoundLease lease) {
        Scheduled limit = timeout;
        if (limit != null) limit.cancel();
        if (lease == null) line.left(this);
        if (line.engine().isListening()) {
            line.engine()
                    .tell(listener -> listener.onAcquire(
                            new BellwetherListener.Acquire(line.key().label(), lease != null, waited())));
        }
    }

    Duration waited() {
        return Duration.ofNanos(line.engine().timer().nanoTime() - sinceNanos);
    }

    /** False if it no longer waits. */
    boolean grant(BoundLease lease) {
        return future.complete(lease);
    }

    void fail(RuntimeException why) {
        future.completeExceptionally(why);
    }
}
