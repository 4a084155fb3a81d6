// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.time;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

/** How long to wait before the next attempt: a function of how many there were. Thread-safe. */
@FunctionalInterface
public interface Backoff {
    /** @param attempt 1 for the wait after the first attempt */
    Duration after(int attempt);

    /** How many waits there are before giving up; without a limit, as many as an int counts. */
    default int attempts() {
        return Integer.MAX_VALUE;
    }

    /** The same wait each time. */
    static Backoff fixed(Duration delay) {
        Durations.notNegative("the delay", delay);
        return attempt -> delay;
    }

    /** First, first + step, first + 2 steps and so on. */
    static Backoff linear(Duration first, Duration step) {
        Durations.notNegative("the first delay", first);
        Durations.notNegative("the step", step);
        return attempt -> Duration.ofNanos(
                Durations.nanos(first) + saturatedProduct(Durations.nanos(step), Math.max(1, attempt) - 1));
    }

    /** Doubling from the first to the maximum. */
    static Backoff exponential(Duration first, Duration max) {
        Durations.notNegative("the first delay", first);
        Durations.notNegative("the greatest delay", max);
        return attempt -> {
            int doublings = Math.min(62, Math.max(1, attempt) - 1);
            long nanos = saturatedProduct(Durations.nanos(first), 1L << doublings);
            return Duration.ofNanos(Math.min(nanos, Durations.nanos(max)));
        };
    }

    /** These delays; the last one repeats. */
    static Backoff schedule(Duration... delays) {
        List<Duration> list = List.of(delays);
        if (list.isEmpty()) throw new IllegalArgumentException("a schedule needs at least one delay");
        list.forEach(delay -> Durations.notNegative("a delay of the schedule", delay));
        return attempt -> list.get(Math.min(list.size(), Math.max(1, attempt)) - 1);
    }

    /** Milliseconds by number of attempts, as any Resilience4j {@code IntervalFunction} gives them. */
    static Backoff of(Function<Integer, Long> millis) {
        return attempt -> Duration.ofMillis(Math.max(0, millis.apply(Math.max(1, attempt))));
    }

    /**
     * The polling that this library grew from: look at once, then after 100, 200, 300, 400 and 500 ms more, then give up.
     * Its last look, which the original forgot, is restored wherever a limited backoff paces looks.
     */
    static Backoff recipe() {
        return linear(Duration.ofMillis(100), Duration.ofMillis(100)).limit(5);
    }

    /**
     * Deno's retries: 100 ms, 1 s, 5 s, 30 s, 60 s.
     */
    static Backoff deno() {
        return schedule(
                        Duration.ofMillis(100),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(60))
                .limit(5);
    }

    /** Gives up after this many waits. */
    default Backoff limit(int attempts) {
        if (attempts < 1)
            throw new IllegalArgumentException("the limit of attempts is " + attempts + "; it must be 1 or more");
        Backoff delays = this;
        return new Backoff() {
            @Override
            public Duration after(int attempt) {
                return delays.after(attempt);
            }

            @Override
            public int attempts() {
                return attempts;
            }
        };
    }

    /** Full jitter: anywhere between nothing and the full delay. */
    default Backoff jittered() {
        return jittered(0, () -> ThreadLocalRandom.current().nextDouble());
    }

    /** Equal jitter: anywhere between half the delay and the full delay. */
    default Backoff halfJittered() {
        return jittered(0.5, () -> ThreadLocalRandom.current().nextDouble());
    }

    /** Anywhere between this part of the delay and the full delay, by the given chance (values from 0 to below 1). */
    default Backoff jittered(double atLeast, DoubleSupplier chance) {
        if (!(atLeast >= 0 && atLeast <= 1))
            throw new IllegalArgumentException("the fixed part is " + atLeast + "; it must lie between 0 and 1");
        Backoff delays = this;
        return new Backoff() {
            @Override
            public Duration after(int attempt) {
                double part = atLeast + (1 - atLeast) * chance.getAsDouble();
                return Duration.ofNanos((long) (Durations.nanos(delays.after(attempt)) * part));
            }

            @Override
            public int attempts() {
                return delays.attempts();
            }
        };
    }

    /**
     * Decorrelated jitter: each delay lies between the first and three times the one before it, at most the maximum.
     * As a function of the attempt alone it draws the delays before this one anew.
     *
     * @see <a href="https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/">the source</a>
     */
    static Backoff decorrelated(Duration first, Duration max) {
        long least = Durations.nanos(Durations.notNegative("the first delay", first));
        long most = Durations.nanos(Durations.notNegative("the greatest delay", max));
        return attempt -> {
            long delay = least;
            for (int i = 0; i < Math.min(attempt, 64); i++) {
                long upper = Math.min(most, saturatedProduct(delay, 3));
                delay = upper <= least
                        ? Math.min(least, most)
                        : ThreadLocalRandom.current().nextLong(least, upper + 1);
            }
            return Duration.ofNanos(delay);
        };
    }

    private static long saturatedProduct(long nanos, long factor) {
        long limit = Long.MAX_VALUE >> 2;
        return nanos != 0 && factor > limit / nanos ? limit : nanos * factor;
    }
}
