// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.memo.Memoizer.Fallback;
import dev.bellwether.time.Backoff;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** What the user chose for one memoizer. */
record Policy<K, V>(
        String name,
        int version,
        BiFunction<? super K, ? super V, Duration> ttl,
        @Nullable Duration negativeTtl,
        Duration failureTtl,
        Duration staleWhileRevalidate,
        Duration staleIfError,
        @Nullable BiFunction<? super K, ? super V, ? extends Collection<String>> tags,
        Duration maxWait,
        Fallback whenExhausted,
        Fallback whenUnavailable,
        Duration lease,
        Duration atMost,
        int nearEntries,
        @Nullable Backoff polling) {
    /** Ends a lifetime up to this part early, so that what was stored together does not expire together. */
    private static final double JITTER = 0.1;

    private static final Duration LONGEST_NEGATIVE = Duration.ofMinutes(1);

    /** How long a failure without {@code failureTtl} stays told to those who had joined its attempt. */
    private static final Duration TOLD = Duration.ofMillis(250);

    /** How long past its ttl a record stays in the store for anybody. */
    Duration staleWindow() {
        return staleWhileRevalidate.compareTo(staleIfError) >= 0 ? staleWhileRevalidate : staleIfError;
    }

    /** How long the value is fresh, jitter included; zero stores nothing. */
    Duration ttlOf(K key, @Nullable V value, @Nullable Duration chosen, double chance) {
        Duration full = chosen != null ? chosen : isNegative(value) ? negativeTtl(key, value) : byRule(key, value);
        if (full.isNegative() || full.isZero()) return Duration.ZERO;
        long millis = Durations.millis(full);
        return Duration.ofMillis(Math.max(1, millis - (long) (Math.min(millis, 1L << 40) * JITTER * chance)));
    }

    @SuppressWarnings("NullAway") // the user's function sees null exactly where V admits it
    private Duration byRule(K key, @Nullable V value) {
        return ttl.apply(key, value);
    }

    private Duration negativeTtl(K key, @Nullable V value) {
        if (negativeTtl != null) return negativeTtl;
        Duration full = byRule(key, value);
        return Durations.min(Duration.ofMillis(Math.max(1, Durations.millis(full) / 10)), LONGEST_NEGATIVE);
    }

    static boolean isNegative(@Nullable Object value) {
        return value == null || (value instanceof Optional<?> optional && optional.isEmpty());
    }

    boolean sharesFailures() {
        return !failureTtl.isZero();
    }

    Duration failureWindow() {
        return sharesFailures() ? failureTtl : TOLD;
    }
}
