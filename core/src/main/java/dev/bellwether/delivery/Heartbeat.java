// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.engine.Engine;
import dev.bellwether.error.LeaseLostException.Reason;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.QueueMutation.Extend;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keeps the deliveries of one worker alive, and declares those lost that are. Thread-safe. */
final class Heartbeat {
    /*
     * Each third of the lease one request extends every open delivery (256 a request), so two may go missing. The store
     * answers for each receipt: a stale one is lost (law Q3 holds from the other side: the store never takes a message
     * away while extensions arrive). If no answer comes, the watch declares the loss at the local deadline, before the
     * store may hand the message to another. Beats end when nothing is open, not when the worker closes: a handler that
     * finishes during the grace period keeps its message (queue faults 16, 32).
     */
    private final Engine engine;
    private final Mailbox<?> box;
    private final Duration lease;
    private final Supplier<? extends Collection<? extends OpenDelivery<?>>> open;
    private final Runnable answered;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Scheduled beat;
    private @Nullable Scheduled watch;
    private long watchNanos;
    private boolean stopped;

    /**
     * @param open the deliveries that are open now
     * @param answered told when the store has answered a beat
     */
    Heartbeat(
            Mailbox<?> box,
            Duration lease,
            Supplier<? extends Collection<? extends OpenDelivery<?>>> open,
            Runnable answered) {
        this.engine = box.engine();
        this.box = box;
        this.lease = lease;
        this.open = open;
        this.answered = answered;
    }

    /** There are open deliveries, the first of which ends then. */
    void watch(long deadlineNanos) {
        lock.lock();
        try {
            if (stopped) return;
            if (beat == null) beat = engine.timer().after(third(), this::beat);
            if (watch != null && deadlineNanos - watchNanos >= 0) return;
            if (watch != null) watch.cancel();
            watchNanos = deadlineNanos;
            long left = Math.max(0, deadlineNanos - engine.timer().nanoTime());
            watch = engine.timer().after(Duration.ofNanos(left), this::look);
        } finally {
            lock.unlock();
        }
    }

    void stop() {
        lock.lock();
        try {
            stopped = true;
            if (beat != null) beat.cancel();
            if (watch != null) watch.cancel();
        } finally {
            lock.unlock();
        }
    }

    private Duration third() {
        return Duration.ofNanos(Durations.nanos(lease) / 3);
    }

    private void look() {
        long now = engine.timer().nanoTime();
        long late = now - watchNanos;
        Reason reason = late > Durations.nanos(lease) / 3 ? Reason.PAUSED : Reason.UNREACHABLE;
        lock.lock();
        try {
            watch = null;
        } finally {
            lock.unlock();
        }
        OpenDelivery<?> first = null;
        for (OpenDelivery<?> delivery : open.get()) {
            if (delivery.deadlineNanos() - now <= 0) {
                delivery.end(OpenDelivery.Standing.LOST, reason);
            } else if (first == null || delivery.deadlineNanos() - first.deadlineNanos() < 0) {
                first = delivery;
            }
        }
        if (first != null) watch(first.deadlineNanos());
    }

    private void beat() {
        plan(false);
        List<OpenDelivery<?>> all = oneOfEachMessage(open.get());
        if (all.isEmpty()) return;
        plan(true);
        for (int from = 0; from < all.size(); from += ClaimRequest.MAX_BATCH) {
            extend(all.subList(from, Math.min(all.size(), from + ClaimRequest.MAX_BATCH)));
        }
    }

    /** Between the two calls whoever opens a delivery plans the next beat himself. */
    private void plan(boolean next) {
        lock.lock();
        try {
            if (!next) {
                beat = null;
            } else if (beat == null && !stopped) {
                beat = engine.timer().after(third(), this::beat);
            }
        } finally {
            lock.unlock();
        }
    }

    private void extend(List<OpenDelivery<?>> some) {
        List<Settlement> extensions = new ArrayList<>(some.size());
        for (OpenDelivery<?> delivery : some) extensions.add(new Extend(delivery.receipt(), lease));
        ClaimRequest request = new ClaimRequest(box.queue(), null, extensions, 0, lease, Duration.ZERO);
        long[] sent = new long[1];
        engine.send("heartbeat of " + box.name(), engine.within(third()), () -> {
                    sent[0] = engine.timer().nanoTime();
                    return engine.backend().claim(request);
                })
                .whenComplete((claim, failure) -> {
                    if (claim != null) extended(some, claim, sent[0]);
                });
        // A failure needs nothing: the next beat comes, or the watch.
    }

    private void extended(List<OpenDelivery<?>> some, Claim claim, long sentNanos) {
        for (int i = 0; i < some.size(); i++) {
            if (claim.settled().get(i)) {
                some.get(i).extended(sentNanos);
            } else {
                some.get(i).end(OpenDelivery.Standing.LOST, Reason.SUPERSEDED);
            }
        }
        answered.run();
    }

    /** Those that still can be extended; of two of one message the younger, since the store would refuse the request. */
    private static List<OpenDelivery<?>> oneOfEachMessage(Collection<? extends OpenDelivery<?>> deliveries) {
        Map<String, OpenDelivery<?>> latest = new LinkedHashMap<>();
        for (OpenDelivery<?> delivery : deliveries) {
            if (delivery.canBeExtended()) latest.put(delivery.id(), delivery);
        }
        return List.copyOf(latest.values());
    }
}
