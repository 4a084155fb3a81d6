// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.QueueMutation;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The moments at which something that a request names may end, in microseconds: where mistakes by one show. */
final class Ends {
    private static final Duration TOO_FAR = Duration.ofHours(1);

    private Ends() {}

    static List<Long> of(Request<?> request, long nowMicros) {
        return lengths(request)
                .filter(length -> length.compareTo(TOO_FAR) < 0)
                .map(length -> nowMicros + Moment.micros(length))
                .toList();
    }

    private static Stream<Duration> lengths(Request<?> request) {
        if (request instanceof Request.Change change) {
            return change.commit().mutations().stream().flatMap(Ends::lengths);
        }
        if (request instanceof Request.Acquire acquire) return lengths(acquire.lease());
        if (request instanceof Request.Consume consume) {
            Stream<Duration> settled = consume.claim().settle().stream().flatMap(Ends::lengths);
            return Stream.concat(settled, Stream.of(consume.claim().lease()));
        }
        return Stream.empty();
    }

    private static Stream<Duration> lengths(Mutation mutation) {
        if (mutation instanceof EntryMutation.Put put && put.expiry() instanceof Expiry.After after) {
            return Stream.of(after.length());
        }
        if (mutation instanceof EntryMutation.Delete delete) return Stream.of(delete.remember());
        if (mutation instanceof LeaseMutation.Take take) return lengths(take.request());
        if (mutation instanceof LeaseMutation.Renew renew) return Stream.of(renew.ttl());
        if (mutation instanceof LeaseMutation.Release release) {
            return Stream.of(release.quiet().time());
        }
        if (mutation instanceof QueueMutation.Retry retry) return Stream.of(retry.delay());
        if (mutation instanceof QueueMutation.Extend extend) return Stream.of(extend.lease());
        if (mutation instanceof QueueMutation.Enqueue enqueue) {
            return enqueue.messages().stream()
                    .flatMap(message ->
                            Stream.of(message.delay(), message.crashes().delay()));
        }
        return Stream.empty();
    }

    private static Stream<Duration> lengths(LeaseRequest request) {
        Stream<Duration> own = Stream.of(request.ttl(), request.retain());
        LeaseRequest.Line line = request.line();
        return line == null ? own : Stream.concat(own, Stream.of(line.ticket(), line.grant(), line.patience()));
    }
}
