// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.QueueSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Answers what is asked without changing anything. Needs the store's lock. */
final class Inspections {
    private final Entries entries;
    private final Leases leases;
    private final Queues queues;
    private final Bounds bounds;

    Inspections(Entries entries, Leases leases, Queues queues, Bounds bounds) {
        this.entries = entries;
        this.leases = leases;
        this.queues = queues;
        this.bounds = bounds;
    }

    Object answer(Inspection<?> what, Moment moment) {
        if (what instanceof Inspection.Leases page) return leases.page(page, moment);
        if (what instanceof Inspection.Holding holding) return leases.state(holding.lease(), moment);
        if (what instanceof Inspection.Figures figures) return figures(figures.queue(), moment);
        if (what instanceof Inspection.Messages page) return page(page, moment);
        if (what instanceof Inspection.OneMessage one) return letter(one, moment);
        return store(moment);
    }

    private Map<String, String> store(Moment moment) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("kind", "memory");
        facts.put("persistence", "none: everything ends with the process");
        facts.put("clock", moment.micros() + " microseconds since 1970, by the monotonic clock of this process");
        facts.put("entries", Long.toString(entries.size()));
        facts.put("leases", Long.toString(leases.size()));
        facts.put("queues", Long.toString(queues.size()));
        facts.put("bytes", Long.toString(bounds.bytes()));
        facts.put("bound of entries", bounds.shownMaxEntries());
        facts.put("bound of bytes", bounds.shownMaxBytes());
        return facts;
    }

    private Inspection.QueueFigures figures(QueueName name, Moment moment) {
        QueueCell queue = queues.find(name);
        if (queue == null) return new Inspection.QueueFigures(0, 0, 0, 0, 0, Duration.ZERO, QueueSettings.DEFAULT);
        return new Inspection.QueueFigures(
                queue.ready().size(),
                queue.delayed().size(),
                queue.grouped(),
                queue.running().size(),
                queue.dead(),
                oldestReady(queue, moment),
                queue.settings());
    }

    private static Duration oldestReady(QueueCell queue, Moment moment) {
        long oldest = queue.ready()
                .inAnyOrder()
                .mapToLong(item -> item.enqueuedAt)
                .min()
                .orElse(moment.micros());
        return Moment.length(moment.micros() - oldest);
    }

    private List<Inspection.Letter> page(Inspection.Messages page, Moment moment) {
        QueueCell queue = queues.find(page.queue());
        if (queue == null) return List.of();
        long after = number(page.after());
        return queue.items().stream()
                .filter(item -> item.state == page.state() && item.number > after)
                .limit(page.limit())
                .map(item -> letter(item, moment))
                .toList();
    }

    private Optional<Inspection.Letter> letter(Inspection.OneMessage one, Moment moment) {
        QueueCell queue = queues.find(one.queue());
        Item item = queue == null ? null : queue.item(one.id());
        return item == null ? Optional.empty() : Optional.of(letter(item, moment));
    }

    private static Inspection.Letter letter(Item item, Moment moment) {
        boolean dead = item.state == MessageState.DEAD;
        return new Inspection.Letter(
                item.id,
                item.state,
                item.payload,
                item.deliveries,
                item.failures,
                item.crashes,
                item.enqueuedAt,
                dead ? Duration.ZERO : moment.until(item.due),
                dead ? Optional.of(item.reason) : Optional.empty(),
                dead ? item.detail : Bytes.EMPTY,
                item.diedAt);
    }

    /** An id that this store never gave stands before all others. */
    private static long number(@Nullable MessageId after) {
        try {
            return after == null ? Long.MIN_VALUE : Long.parseLong(after.value());
        } catch (NumberFormatException foreign) {
            return Long.MIN_VALUE;
        }
    }
}
