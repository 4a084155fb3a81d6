// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.delivery.Wrapping.Turn;
import dev.bellwether.queue.Envelope;
import dev.bellwether.queue.Recurrence;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Message.Dedup;
import dev.bellwether.spi.Message.Dedup.Mode;
import dev.bellwether.spi.QueueMutation.Enqueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Recurring messages: one waiting occurrence for each schedule. */
final class Schedules {
    /*
     * One waiting occurrence
     * ----------------------
     * An occurrence is enqueued under its schedule's name as deduplication key, with a window that ends when it is due:
     * while it waits, the key is taken. Whoever declares the schedule enqueues with REPLACE, so the waiting occurrence
     * takes the new message and the new moment. The commit that ends an occurrence (acknowledged, buried, or in a
     * transaction of the user's) enqueues the one after it with IGNORE, so that it yields to a declaration made while it
     * was running, and two chains, should a declaration have met an overdue occurrence, become one again. Since both
     * happen in one commit, no crash point loses the chain or doubles it.
     *
     * The next occurrence is sought after now and after the moment of this one, whichever is later: a clock that was
     * ahead does not make the same moment come twice. Ending a schedule replaces the waiting occurrence by a last one
     * that no handler sees; it stays for KEPT, so that the completion of a running occurrence meets it and yields.
     */
    private static final String KEY = "\0recurring:";

    private static final Duration KEPT = Duration.ofDays(1);

    private Schedules() {}

    /** Declares the schedule. */
    static <T> Enqueue declare(Mailbox<T> box, String schedule, Recurrence recurrence, T message) {
        Instant now = now(box);
        Instant at = recurrence.after(now);
        Turn turn = new Turn(named(schedule), recurrence, Mailbox.micros(at), false);
        Duration delay = Duration.between(now, at);
        Dedup dedup = new Dedup(Bytes.utf8(KEY + schedule), delay, Mode.REPLACE);
        return enqueue(box, box.message(box.encode(message), Envelope.in(delay), turn, dedup));
    }

    static Enqueue end(Mailbox<?> box, String schedule) {
        Turn turn = new Turn(
                named(schedule), Recurrence.every(KEPT), box.engine().timer().epochMicros(), true);
        Dedup dedup = new Dedup(Bytes.utf8(KEY + schedule), KEPT, Mode.REPLACE);
        return enqueue(box, box.message(Bytes.EMPTY, Envelope.in(KEPT), turn, dedup));
    }

    /** What follows an occurrence that has ended; nothing if the message does not recur. */
    static Optional<Enqueue> next(Mailbox<?> box, Wrapping ended) {
        Turn turn = ended.turn();
        if (turn == null || turn.last()) return Optional.empty();
        Instant now = now(box);
        Instant last = Mailbox.instant(turn.atMicros());
        Instant at = turn.recurrence().after(last.isAfter(now) ? last : now);
        Turn next = new Turn(turn.schedule(), turn.recurrence(), Mailbox.micros(at), false);
        Duration delay = Duration.between(now, at);
        Wrapping wrapping = new Wrapping(
                Mailbox.micros(now), delay.toMillis(), ended.fingerprint(), ended.headers(), next, ended.content());
        Dedup dedup = new Dedup(Bytes.utf8(KEY + turn.schedule()), delay, Mode.IGNORE);
        return Optional.of(enqueue(box, Mailbox.message(wrapping, delay, dedup)));
    }

    private static Enqueue enqueue(Mailbox<?> box, Message message) {
        return new Enqueue(box.queue(), List.of(message), Enqueue.UNBOUNDED);
    }

    private static Instant now(Mailbox<?> box) {
        return Mailbox.instant(box.engine().timer().epochMicros());
    }

    private static String named(String schedule) {
        if (schedule.isEmpty()) throw new IllegalArgumentException("the name of a schedule is empty");
        return schedule;
    }
}
