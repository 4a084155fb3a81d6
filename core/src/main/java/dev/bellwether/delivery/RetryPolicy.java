// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.spi.Bytes;
import dev.bellwether.time.Backoff;
import dev.bellwether.time.Durations;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What becomes of a message whose attempt failed. Calls user code, hence only where user code may run.
 *
 * @param maxAttempts failed attempts before the message is dead
 * @param maxCrashes lapsed deliveries before the message is dead
 */
record RetryPolicy(
        int maxAttempts,
        int maxCrashes,
        Backoff backoff,
        List<Class<? extends Exception>> buryOn,
        List<RetryOn<?>> retryOn) {
    private static final System.Logger LOG = System.getLogger("dev.bellwether");

    /** Dead letters carry this much of a stack trace; a full one for each would fill the store (queue fault 58). */
    private static final int MOST_DETAIL = 2_048;

    private static final int MOST_REASON = 500;

    /** Attempts of one message never share a millisecond, whatever the backoff says. */
    private static final Duration SHORTEST = Duration.ofMillis(1);

    private static final Duration INSTEAD = Duration.ofSeconds(1);

    record RetryOn<X extends Exception>(Class<X> type, Function<? super X, Duration> delay) {
        Optional<Duration> delay(Throwable failure) {
            if (!type.isInstance(failure)) return Optional.empty();
            Duration asked = delay.apply(type.cast(failure));
            return Optional.of(asked.isNegative() ? Duration.ZERO : asked);
        }
    }

    /** After a failure, with so many before it. */
    Verdict failed(int failuresBefore, Throwable failure) {
        if (buryOn.stream().anyMatch(type -> type.isInstance(failure))) return dead(failure);
        return again(failuresBefore, () -> delay(failuresBefore + 1, failure), failure);
    }

    /** After a handler that returned, but asked to be called again. */
    Verdict askedAgain(int failuresBefore, Duration delay) {
        return again(failuresBefore, () -> delay, new RetryRequested(delay));
    }

    private Verdict again(int failuresBefore, java.util.function.Supplier<Duration> delay, Throwable failure) {
        if (failuresBefore + 1 >= maxAttempts) return dead(failure);
        return new Verdict.Again(delay.get(), true);
    }

    private Duration delay(int attempt, Throwable failure) {
        try {
            for (RetryOn<?> each : retryOn) {
                Optional<Duration> delay = each.delay(failure);
                if (delay.isPresent()) return delay.get();
            }
            Duration delay = backoff.after(attempt);
            return delay.compareTo(SHORTEST) < 0 ? SHORTEST : delay;
        } catch (RuntimeException wrong) {
            LOG.log(System.Logger.Level.WARNING, "a backoff threw; the message comes back in a second", wrong);
            return INSTEAD;
        }
    }

    Verdict crashedTooOften(int crashes) {
        return new Verdict.Dead(
                Verdict.Dead.CRASHED,
                Bytes.utf8(
                        crashes + " deliveries ended without an answer: the process died, or was cut off, each time"));
    }

    private static Verdict dead(Throwable failure) {
        String said = failure.getMessage();
        String reason = failure.getClass().getName() + (said == null ? "" : ": " + said);
        return new Verdict.Dead(cut(reason, MOST_REASON), Bytes.utf8(cut(trace(failure), MOST_DETAIL)));
    }

    static Verdict buried(String reason) {
        return new Verdict.Dead(cut(reason, MOST_REASON), Bytes.EMPTY);
    }

    private static String trace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    /** At most so many characters, none of them half of a pair. */
    private static String cut(String text, int most) {
        StringBuilder kept = new StringBuilder();
        text.codePoints()
                .limit(most)
                .map(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? '?' : point)
                .forEach(kept::appendCodePoint);
        return kept.toString();
    }

    static Duration notNegative(Duration delay) {
        return Durations.notNegative("the delay before the next attempt", delay);
    }

    /** The handler asked for another attempt once more often than there are attempts. */
    static final class RetryRequested extends Exception {
        private static final long serialVersionUID = 1;

        RetryRequested(Duration delay) {
            super("the handler asked for another attempt after " + delay + ", and this was the last one");
        }
    }
}
