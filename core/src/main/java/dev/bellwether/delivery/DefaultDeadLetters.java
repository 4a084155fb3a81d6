// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.queue.DeadLetters;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.QueueMutation.Move;
import dev.bellwether.spi.QueueMutation.Remove;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The dead letters of one queue, read from the store page by page. */
final class DefaultDeadLetters<T> implements DeadLetters<T> {
    private final Mailbox<T> box;

    DefaultDeadLetters(Mailbox<T> box) {
        this.box = box;
    }

    @Override
    public Stream<Letter<T>> stream() {
        Spliterator<Letter<T>> letters =
                Spliterators.spliteratorUnknownSize(new Pages(), Spliterator.ORDERED | Spliterator.NONNULL);
        return StreamSupport.stream(letters, false);
    }

    private List<Inspection.Letter> page(@Nullable MessageId after) {
        return box.await(box.page(MessageState.DEAD, Mailbox.PAGE, after));
    }

    @Override
    public Optional<Letter<T>> find(String id) {
        return box.await(box.letter(new MessageId(id)))
                .filter(letter -> letter.state() == MessageState.DEAD)
                .map(DefaultLetter::new);
    }

    @Override
    public long purgeAll() {
        long left = box.await(box.figures()).dead();
        long purged = 0;
        while (left > 0) {
            List<MessageId> ids =
                    page(null).stream().limit(left).map(Inspection.Letter::id).toList();
            if (ids.isEmpty()) break;
            left -= ids.size();
            purged += purge(ids);
        }
        return purged;
    }

    /** Those still there; somebody else may be purging or requeueing the others. */
    private long purge(List<MessageId> ids) {
        List<MessageId> rest = new ArrayList<>(ids);
        while (!rest.isEmpty()) {
            Mutation[] removals =
                    rest.stream().map(id -> new Remove(box.queue(), id)).toArray(Mutation[]::new);
            CommitReply reply = box.await(box.commit("purge", removals));
            if (!(reply instanceof CommitReply.Conflict conflict)) break;
            List<MessageId> gone = conflict.obstacles().stream()
                    .map(Obstacle::index)
                    .map(rest::get)
                    .toList();
            rest.removeAll(gone);
        }
        return rest.size();
    }

    private final class Pages implements Iterator<Letter<T>> {
        private Iterator<Inspection.Letter> page = List.<Inspection.Letter>of().iterator();
        private @Nullable MessageId last;
        private boolean ended;

        @Override
        public boolean hasNext() {
            if (!page.hasNext() && !ended) {
                List<Inspection.Letter> next = page(last);
                ended = next.isEmpty();
                page = next.iterator();
            }
            return page.hasNext();
        }

        @Override
        public Letter<T> next() {
            if (!hasNext()) throw new NoSuchElementException();
            Inspection.Letter letter = page.next();
            last = letter.id();
            return new DefaultLetter(letter);
        }
    }

    private final class DefaultLetter implements Letter<T> {
        private final Inspection.Letter letter;

        DefaultLetter(Inspection.Letter letter) {
            this.letter = letter;
        }

        @Override
        public String id() {
            return letter.id().value();
        }

        @Override
        public Optional<T> message() {
            return box.tryDecode(letter.payload());
        }

        @Override
        public String reason() {
            return letter.reason().orElse("unknown");
        }

        @Override
        public int attempts() {
            int before = letter.failures() + letter.crashes();
            return reason().equals(Verdict.Dead.CRASHED) ? before : before + 1;
        }

        @Override
        public Instant diedAt() {
            return Mailbox.instant(letter.diedAtMicros());
        }

        @Override
        public boolean requeue() {
            return isStillDead() && box.apply("requeue in", new Move(box.queue(), letter.id(), Duration.ZERO));
        }

        @Override
        public boolean purge() {
            return isStillDead() && box.apply("purge", new Remove(box.queue(), letter.id()));
        }

        /** Without this look a requeued message would be removed, or hurried, by who still holds its letter. */
        private boolean isStillDead() {
            return find(id()).isPresent();
        }

        @Override
        public String toString() {
            return "dead letter " + id() + " of " + box.name() + ": " + reason();
        }
    }
}
