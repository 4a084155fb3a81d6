// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Waiting;
import dev.bellwether.spi.Inspection.QueueFigures;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer.Scheduled;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Waits until a queue has nothing due and nothing in flight, by looking again and again. */
final class Idleness {
    private static final long FIRST_PAUSE_NANOS = 10_000_000;
    private static final long LONGEST_PAUSE_NANOS = 250_000_000;

    private final Engine engine;
    private final Mailbox<?> box;
    private final BooleanSupplier here;
    private final Duration limit;
    private final Deadline deadline;
    private final CompletableFuture<Boolean> idle = new CompletableFuture<>();
    private long pauseNanos = FIRST_PAUSE_NANOS;

    /** @param here whether nothing is in flight in the worker that asks */
    Idleness(Mailbox<?> box, BooleanSupplier here, Duration limit) {
        this.engine = box.engine();
        this.box = box;
        this.here = here;
        this.limit = limit;
        this.deadline = engine.within(limit);
    }

    boolean await() {
        look();
        try {
            long most = Durations.nanos(limit)
                    + engine.requestTimeout().multipliedBy(4).toNanos();
            return idle.get(most, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw Waiting.cancelled("interrupted while waiting for queue " + box.name() + " to be idle");
        } catch (TimeoutException late) {
            return false;
        } catch (ExecutionException failed) {
            throw Waiting.rethrow(failed.getCause());
        } finally {
            idle.cancel(false);
        }
    }

    private void look() {
        if (idle.isDone()) return;
        if (here.getAsBoolean()) {
            box.figuresOfDue().whenComplete((figures, failure) -> looked(figures));
        } else {
            looked(null);
        }
    }

    private void looked(@Nullable QueueFigures figures) {
        if (figures != null && figures.ready() == 0 && figures.running() == 0) {
            idle.complete(true);
        } else if (deadline.isPast()) {
            idle.complete(false);
        } else {
            long pause = Math.min(pauseNanos, Math.max(1, deadline.remainingNanos()));
            pauseNanos = Math.min(LONGEST_PAUSE_NANOS, pauseNanos * 2);
            Scheduled unused = engine.timer().after(Duration.ofNanos(pause), this::look);
        }
    }
}
