// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.guard;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer;
import java.time.Duration;

/**
 * Builds a guarded view of a backend, so that a store in trouble costs its callers no time and is left in peace.
 *
 * <p>While the breaker is open every request fails at once with {@code BackendUnavailableException}: nothing happened.
 * Only unavailability, unknown outcomes and exceeded time limits count against the store; a conflict is an answer. Locks
 * and queues then fail closed, a memoizer does as its builder says.
 *
 * <p>For one thread while it is built; the backend that it builds is thread-safe. It owns the backend inside: closing it
 * closes that one. Needs {@code io.github.resilience4j:resilience4j-circuitbreaker} on the path.
 */
public final class Guard {
    final KvBackend inside;
    float failureRate = 50;
    float slowRate = 100;
    Duration slow = Duration.ofSeconds(1);
    int window = 100;
    int leastCalls = 20;
    int probes = 5;
    Duration openFor = Duration.ofSeconds(5);
    Duration timeLimit = Duration.ofSeconds(2);
    int inFlight = 10_000;
    Timer timer = Timer.system();

    private Guard(KvBackend inside) {
        this.inside = inside;
    }

    public static Guard around(KvBackend backend) {
        return new Guard(backend);
    }

    /** The share of failed requests, in percent, at which the breaker opens (50). */
    public Guard failureRate(int percent) {
        failureRate = percent("the failure rate", percent);
        return this;
    }

    /** Requests longer than this are slow (1 s), and this share of slow ones, in percent, opens the breaker (100). */
    public Guard slowCalls(Duration longerThan, int percent) {
        slow = Durations.positive("the time after which a request is slow", longerThan);
        slowRate = percent("the share of slow requests", percent);
        return this;
    }

    /** How many of the last requests are looked at (100), and how many there must be for a judgement (20). */
    public Guard window(int requests, int least) {
        window = atLeastOne("the window", requests);
        leastCalls = Math.min(window, atLeastOne("the least number of requests", least));
        return this;
    }

    /** How long the breaker stays open before it lets probes through (5 s). */
    public Guard openFor(Duration length) {
        // Resilience4j counts this in milliseconds, of which there must be one.
        openFor = Duration.ofMillis(Durations.millis(Durations.positive("the time to stay open", length)));
        return this;
    }

    /** How many requests the half-open breaker admits; their failure rate decides whether it closes (5). */
    public Guard probes(int requests) {
        probes = atLeastOne("the number of probes", requests);
        return this;
    }

    /** How long one request may take (2 s); afterwards its answer is not waited for. */
    public Guard timeLimit(Duration limit) {
        timeLimit = Durations.positive("the time limit", limit);
        return this;
    }

    /** How many requests may be unanswered at once (10 000); more are refused with {@code BackendUnavailableException}. */
    public Guard inFlight(int requests) {
        inFlight = atLeastOne("the limit of requests in flight", requests);
        return this;
    }

    /** The timer of time limit and breaker (the system's). */
    public Guard timer(Timer timer) {
        this.timer = timer;
        return this;
    }

    public KvBackend build() {
        return new GuardedBackend(this);
    }

    private static int percent(String what, int percent) {
        if (percent < 1 || percent > 100)
            throw new IllegalArgumentException(what + " is " + percent + "; it must lie between 1 and 100");
        return percent;
    }

    private static int atLeastOne(String what, int number) {
        if (number < 1) throw new IllegalArgumentException(what + " is " + number + "; it must be 1 or more");
        return number;
    }
}
