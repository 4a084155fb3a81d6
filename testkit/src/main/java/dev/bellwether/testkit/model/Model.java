// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The definition of the SPI that can be run: a function from state, request and time to state, reply and hints.
 *
 * <p>Pure and thread-safe. It is written to be read beside {@code docs/design/spi-semantics.md}; backends are compared
 * with it by {@link RandomHistory}.
 */
public final class Model {
    private Model() {}

    /**
     * One request by one client at one moment of the store's clock.
     *
     * @param client who asks, and so who hears the hints that the request arms; any number
     */
    public static <R> Step<R> step(StoreState before, long client, Request<R> request, long nowMicros) {
        StoreState after = before.copy();
        Moment moment = new Moment(after, client, nowMicros);
        R reply = apply(moment, request);
        return new Step<>(after, reply, moment.hints());
    }

    /** As {@link #step}, but changes the given state, for stores that own theirs. */
    static <R> Step<R> advance(StoreState state, long client, Request<R> request, long nowMicros) {
        Moment moment = new Moment(state, client, nowMicros);
        R reply = apply(moment, request);
        return new Step<>(state, reply, moment.hints());
    }

    // Each request names its own type of reply, which this chain respects.
    @SuppressWarnings("unchecked")
    private static <R> R apply(Moment moment, Request<R> request) {
        moment.state().sweepNowAndThen(moment);
        if (request instanceof Request.Read read) return (R) read(moment, read.query());
        if (request instanceof Request.Change change) return (R) Commits.commit(moment, change.commit());
        if (request instanceof Request.Acquire acquire) return (R) acquire(moment, acquire.lease());
        if (request instanceof Request.Consume consume) return (R) Claims.claim(moment, consume.claim());
        if (request instanceof Request.Look<?> look) return (R) inspect(moment, look.what());
        throw new AssertionError(request);
    }

    private static Reading read(Moment moment, Query query) {
        if (query instanceof Query.Range range) return Entries.range(moment, range);
        return Entries.keys(moment, (Query.Keys) query);
    }

    private static Acquisition acquire(Moment moment, LeaseRequest request) {
        return Acquiring.acquire(moment, request);
    }

    private static Object inspect(Moment moment, Inspection<?> what) {
        if (what instanceof Inspection.Leases leases) return leases(moment, leases);
        if (what instanceof Inspection.Holding holding) {
            return moment.lease(holding.lease()).state(holding.lease(), moment);
        }
        if (what instanceof Inspection.Figures figures) {
            return moment.queue(figures.queue()).figures(moment.now());
        }
        if (what instanceof Inspection.Messages messages) {
            return moment.queue(messages.queue())
                    .letters(messages.state(), messages.limit(), messages.after(), moment.now());
        }
        if (what instanceof Inspection.OneMessage one) {
            return Optional.ofNullable(moment.queue(one.queue()).find(one.id())).map(item -> item.letter(moment.now()));
        }
        return Map.of("kind", "model");
    }

    private static List<LeaseState> leases(Moment moment, Inspection.Leases asked) {
        return moment.state().leases.keySet().stream()
                .filter(name -> name.name().startsWith(asked.prefix()))
                .filter(name -> asked.after() == null || StoreState.LEASES.compare(name, asked.after()) > 0)
                .map(name -> moment.lease(name).state(name, moment))
                .filter(s ->
                        !s.holds().isEmpty() || s.waiting() > 0 || !s.quiet().isZero())
                .limit(asked.limit())
                .toList();
    }
}
