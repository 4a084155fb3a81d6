// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.engine.Engine;
import dev.bellwether.queue.Worker;
import dev.bellwether.time.Backoff;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a worker. For one thread. */
final class WorkerBuilder<T> implements Worker.Builder<T> {
    private static final int MOST_HANDLERS = 100_000;
    private static final Duration LONGEST_LEASE = Duration.ofHours(12);
    private static final int USUAL_ATTEMPTS = 5;

    private final QueueService service;
    private final Mailbox<T> box;
    private final List<Class<? extends Exception>> buryOn = new ArrayList<>();
    private final List<RetryPolicy.RetryOn<?>> retryOn = new ArrayList<>();
    private int concurrency = 1;
    private int maxAttempts;
    private int maxCrashes = 3;
    private Backoff backoff;
    private Duration lease = Duration.ofSeconds(15);
    private @Nullable Duration atMost;
    private Executor executor;
    private double redeliver;

    WorkerBuilder(QueueService service, Mailbox<T> box) {
        this.service = service;
        this.box = box;
        Engine engine = box.engine();
        this.backoff = Backoff.exponential(Duration.ofSeconds(1), Duration.ofMinutes(5))
                .jittered(0, engine.timer()::random);
        this.executor = engine.executor();
    }

    @Override
    public Worker.Builder<T> concurrency(int handlers) {
        concurrency = between("the number of handlers", handlers, MOST_HANDLERS);
        return this;
    }

    @Override
    public Worker.Builder<T> maxAttempts(int attempts) {
        maxAttempts = between("the number of attempts", attempts, Integer.MAX_VALUE);
        return this;
    }

    @Override
    public Worker.Builder<T> maxCrashes(int crashes) {
        maxCrashes = between("the number of crashes", crashes, Mailbox.MOST_CRASHES);
        return this;
    }

    private static int between(String what, int number, int most) {
        if (number < 1 || number > most) {
            throw new IllegalArgumentException(what + " is " + number + "; it must lie between 1 and " + most);
        }
        return number;
    }

    @Override
    public Worker.Builder<T> backoff(Backoff backoff) {
        this.backoff = Objects.requireNonNull(backoff);
        return this;
    }

    @Override
    public Worker.Builder<T> buryOn(Class<? extends Exception> failure) {
        buryOn.add(Objects.requireNonNull(failure));
        return this;
    }

    @Override
    public <X extends Exception> Worker.Builder<T> retryOn(Class<X> failure, Function<? super X, Duration> delay) {
        retryOn.add(new RetryPolicy.RetryOn<>(failure, delay));
        return this;
    }

    @Override
    public Worker.Builder<T> lease(Duration lease) {
        this.lease = Durations.between("the lease of a delivery", lease, OpenDelivery.SHORTEST_LEASE, LONGEST_LEASE);
        return this;
    }

    @Override
    public Worker.Builder<T> atMost(Duration limit) {
        atMost = Durations.positive("the limit of a handler", limit);
        return this;
    }

    @Override
    public Worker.Builder<T> executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor);
        return this;
    }

    @Override
    public Worker.Builder<T> redeliver(double fraction) {
        if (!(fraction >= 0 && fraction <= 1)) {
            throw new IllegalArgumentException(
                    "the part to deliver once more is " + fraction + "; it must lie between 0 and 1");
        }
        redeliver = fraction;
        return this;
    }

    @Override
    public Worker start(Worker.Handler<? super T> handler) {
        Objects.requireNonNull(handler);
        return startWithDelivery((message, delivery) -> handler.handle(message));
    }

    @Override
    public Worker startWithDelivery(Worker.WithDelivery<T> handler) {
        RetryPolicy policy =
                new RetryPolicy(attempts(), maxCrashes, backoff, List.copyOf(buryOn), List.copyOf(retryOn));
        return service.start(
                box,
                new WorkerSettings<>(
                        concurrency, lease, atMost, executor, policy, redeliver, Objects.requireNonNull(handler)));
    }

    /** A backoff that ends says by itself how many attempts there are. */
    private int attempts() {
        int waits = backoff.attempts();
        if (waits == Integer.MAX_VALUE) return maxAttempts == 0 ? USUAL_ATTEMPTS : maxAttempts;
        return maxAttempts == 0 ? waits + 1 : Math.min(maxAttempts, waits + 1);
    }
}
