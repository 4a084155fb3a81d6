// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A question that changes nothing and stands on no hot path. */
public sealed interface Inspection<R> {
    /** Leases that are held, quiet or waited for, whose name begins so; {@code after} continues a page. */
    record Leases(Bytes prefix, int limit, @Nullable LeaseName after) implements Inspection<List<LeaseState>> {}

    record Holding(LeaseName lease) implements Inspection<LeaseState> {}

    record Figures(QueueName queue) implements Inspection<QueueFigures> {}

    /** Messages in this state, oldest first; {@code after} continues a page. */
    record Messages(
            QueueName queue,
            MessageState state,
            int limit,
            @Nullable MessageId after) implements Inspection<List<Letter>> {}

    record OneMessage(QueueName queue, MessageId id) implements Inspection<Optional<Letter>> {}

    /** What {@code bw doctor} shows: kind, version, persistence and the like, in words. */
    record Store() implements Inspection<Map<String, String>> {}

    /** Counts by state, the age of the oldest ready message, and the settings. */
    record QueueFigures(
            long ready,
            long delayed,
            long grouped,
            long running,
            long dead,
            Duration oldestReady,
            QueueSettings settings) {}

    /** One message with its counts; reason, detail and time of death only when dead. */
    record Letter(
            MessageId id,
            MessageState state,
            Bytes payload,
            int deliveries,
            int failures,
            int crashes,
            long enqueuedAtMicros,
            Duration due,
            Optional<String> reason,
            Bytes detail,
            long diedAtMicros) {}
}
