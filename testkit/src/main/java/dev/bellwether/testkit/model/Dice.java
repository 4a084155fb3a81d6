// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.Expiry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;

/** Random choices with a taste for the awkward. */
final class Dice {
    private static final List<Long> NUMBERS =
            List.of(0L, 1L, -1L, 2L, 1_000L, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 53, (1L << 53) + 1, -(1L << 53) - 1);

    private static final List<Bytes> VALUES = List.of(
            Bytes.EMPTY,
            Bytes.utf8("value"),
            Bytes.utf8("0"),
            Bytes.of((byte) 0xC0),
            Bytes.of((byte) 0, (byte) 0xff, (byte) '\r', (byte) '\n'),
            Counter.encode(7),
            Counter.encode(Long.MAX_VALUE));

    private static final Duration AGES = Duration.ofSeconds(Long.MAX_VALUE);

    private final Random random;
    private final boolean exact;

    Dice(Random random, boolean exact) {
        this.random = random;
        this.exact = exact;
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /** Mostly the latest of what is known, sometimes an older one, rarely what was never there. */
    <T> T known(List<T> choices, T stranger) {
        if (choices.isEmpty() || chance(5)) return stranger;
        int back = chance(60) ? 0 : random.nextInt(Math.min(8, choices.size()));
        return choices.get(choices.size() - 1 - back);
    }

    long number() {
        return oneOf(NUMBERS);
    }

    Bytes value() {
        return oneOf(VALUES);
    }

    /** Longer than zero. With a clock that is not shared only such as surely end, or surely do not, between two steps. */
    Duration length() {
        if (!exact) return chance(20) ? RandomHistory.SHORT : RandomHistory.LONG;
        return switch (below(8)) {
            case 0 -> Duration.ofMillis(1);
            case 1 -> Duration.ofNanos(1_500_001);
            case 2 -> Duration.ofNanos(1);
            case 3 -> Duration.ofMillis(10 + below(50));
            case 4 -> Duration.ofSeconds(30);
            case 5 -> chance(20) ? AGES : Duration.ofMillis(250);
            default -> Duration.ofMillis(100L * (1 + below(20)));
        };
    }

    Duration lengthOrZero() {
        return chance(40) ? Duration.ZERO : length();
    }

    Expiry expiry() {
        return switch (below(8)) {
            case 0, 1 -> Expiry.NEVER;
            case 2 -> Expiry.KEEP;
            case 3 -> Expiry.after(Duration.ZERO);
            case 4 -> new Expiry.At(oneOf(List.of(Instant.MIN, Instant.EPOCH, Instant.MAX)));
            default -> Expiry.after(length());
        };
    }
}
