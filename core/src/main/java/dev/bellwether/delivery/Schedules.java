// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.delivery.Wrapping.Turn;
import dev.bellwether.engine.Engine;
import dev.bellwether.queue.Recurrence;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Message.Dedup;
import dev.bellwether.spi.Message.Dedup.Mode;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.QueueMutation.Enqueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Recurring messages: an entry that defines the schedule, and one waiting occurrence. */
final class Schedules {
    /*
     * One chain
     * ---------
     * The definition (recurrence and message) is an entry in the queue's partition. An occurrence is a message without
     * content that names schedule, recurrence and moment; a worker reads the definition before it handles one. Declaring
     * writes the definition and enqueues the next occurrence in one commit; the commit that ends an occurrence enqueues
     * the one after it. Occurrences are deduplicated by schedule, recurrence and moment, for KEPT beyond the moment: so
     * however many processes declare, and however their clocks differ, no moment comes twice, and two chains that a
     * declaration beside an overdue occurrence has made become one again at the next moment. No crash point loses or
     * doubles the chain, since ending one occurrence and enqueueing the next are one commit.
     *
     * An occurrence whose recurrence is not the defined one, or whose definition is gone, belongs to a chain that has
     * been replaced or ended: it is acknowledged unseen, and nothing follows it.
     *
     * The next moment is sought after now and after this moment, whichever is later: missed ones are skipped, and a
     * clock that was ahead does not make a moment come again.
     */
    private static final Duration KEPT = Duration.ofDays(1);

    private Schedules() {}

    private static KvKey definition(Mailbox<?> box, String schedule) {
        if (schedule.isEmpty()) throw new IllegalArgumentException("the name of a schedule is empty");
        Bytes name = box.engine().prefix("qs", box.name()).plus(Bytes.utf8(schedule));
        return new KvKey(box.queue().partition(), name);
    }

    /** What declares the schedule, or declares it anew. */
    static <T> Mutation[] declare(Mailbox<T> box, String schedule, Recurrence recurrence, T message) {
        KvKey key = definition(box, schedule);
        Turn turn = new Turn(schedule, recurrence, box.engine().timer().epochMicros());
        Wrapping defined =
                new Wrapping(turn.atMicros(), 0, box.codec().fingerprint(), Map.of(), turn, box.encode(message));
        return new Mutation[] {new Put(key, defined.bytes(), Expiry.NEVER), next(box, turn)};
    }

    static Mutation end(Mailbox<?> box, String schedule) {
        return new Delete(definition(box, schedule), Duration.ZERO);
    }

    /** The message of an occurrence; nothing if its schedule has been ended or replaced. */
    static CompletableFuture<Optional<Wrapping>> defined(Mailbox<?> box, Wrapping occurrence, Turn turn) {
        Engine engine = box.engine();
        Query query = new Query.Keys(List.of(definition(box, turn.schedule())), false);
        return engine.send(
                        "schedule of " + box.name(),
                        engine.within(Mailbox.PATIENCE),
                        () -> engine.backend().read(query))
                .thenApply(reading -> {
                    if (!(reading.entries().get(0) instanceof KvEntry.Present present)) return Optional.empty();
                    Wrapping defined = Wrapping.read(present.value());
                    Turn now = defined.turn();
                    boolean ours = now != null && now.recurrence().equals(turn.recurrence());
                    return ours ? Optional.of(occurrence.with(defined)) : Optional.empty();
                });
    }

    /** The occurrence after this one. */
    static Enqueue next(Mailbox<?> box, Turn turn) {
        Instant now = Mailbox.instant(box.engine().timer().epochMicros());
        Instant last = Mailbox.instant(turn.atMicros());
        Instant at = turn.recurrence().after(last.isAfter(now) ? last : now);
        Duration delay = Duration.between(now, at);
        Turn next = new Turn(turn.schedule(), turn.recurrence(), Mailbox.micros(at));
        Wrapping wrapping = new Wrapping(Mailbox.micros(now), delay.toMillis(), "", Map.of(), next, Bytes.EMPTY);
        Message message = Mailbox.message(wrapping, delay, new Dedup(key(next), delay.plus(KEPT), Mode.IGNORE));
        return new Enqueue(box.queue(), List.of(message), Enqueue.UNBOUNDED);
    }

    private static Bytes key(Turn turn) {
        return Bytes.utf8("\0" + turn.schedule() + "\0" + turn.recurrence() + "\0" + turn.atMicros());
    }
}
