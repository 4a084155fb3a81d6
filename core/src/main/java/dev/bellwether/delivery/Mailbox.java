// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.codec.Codec;
import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Waiting;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.queue.Envelope;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.Inspection.Letter;
import dev.bellwether.spi.Inspection.QueueFigures;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.QueueName;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One queue as this process knows it: its name, its codec, and the requests about it. Thread-safe. */
record Mailbox<T>(Engine engine, String name, QueueName queue, Codec<T> codec) {
    /**
     * How long a request goes on. A failover takes five to six seconds, and an enqueue shall outlive it; the engine never
     * sends again after 15 s.
     */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The store gives a message up after this many lapsed deliveries if no worker has done so: what workers allow at most. */
    static final int MOST_CRASHES = 1_000;

    private static final Message.CrashPolicy CRASHES = new Message.CrashPolicy(MOST_CRASHES, Duration.ofSeconds(1));

    static final int PAGE = 256;

    // ---- messages

    Message message(T message, Envelope envelope) {
        Message.Dedup dedup = envelope.dedupeKey()
                .map(key -> new Message.Dedup(Bytes.utf8(key), envelope.dedupeWindow(), mode(envelope)))
                .orElse(null);
        long now = engine.timer().epochMicros();
        Duration delay = envelope.delayFrom(instant(now));
        Wrapping wrapping = new Wrapping(
                now, Durations.millis(delay), codec.fingerprint(), envelope.headers(), null, encode(message));
        Bytes payload = wrapping.bytes();
        int limit = engine.backend().capabilities().limits().maxValueBytes();
        if (payload.length() > limit) {
            throw new IllegalArgumentException("a message for queue " + name + " has " + payload.length()
                    + " bytes with its envelope, more than the " + limit
                    + " that this backend takes; store what is large elsewhere and enqueue its key");
        }
        Bytes group = envelope.group().map(Bytes::utf8).orElse(null);
        return new Message(payload, delay, envelope.priority(), group, dedup, CRASHES);
    }

    static Message message(Wrapping wrapping, Duration delay, Message.Dedup dedup) {
        return new Message(wrapping.bytes(), delay, 0, null, dedup, CRASHES);
    }

    private static Message.Dedup.Mode mode(Envelope envelope) {
        return envelope.isReplacing() ? Message.Dedup.Mode.REPLACE : Message.Dedup.Mode.IGNORE;
    }

    Bytes encode(T message) {
        Objects.requireNonNull(message, () -> "a message for queue " + name + " is null");
        try {
            return Bytes.of(codec.encode(message));
        } catch (Exception failure) {
            throw new BellwetherException(
                    "a " + message.getClass().getName() + " for queue " + name + " cannot be encoded as "
                            + codec.fingerprint(),
                    failure);
        }
    }

    /**
     * The message inside.
     *
     * @throws BellwetherException if it was written in another format, or the codec refuses it
     */
    T decode(Wrapping wrapping) {
        if (!family(wrapping.fingerprint()).equals(family(codec.fingerprint()))) {
            throw undecodable(wrapping, null);
        }
        try {
            return Objects.requireNonNull(codec.decode(wrapping.content().toArray()), "the codec answered null");
        } catch (Exception failure) {
            throw undecodable(wrapping, failure);
        }
    }

    /**
     * The format alone. Another shape of the same format is left to the codec: a record that has gained a component since
     * the message was written must not make a backlog unreadable, whereas a text read as a number would be rubbish.
     */
    private static String family(String fingerprint) {
        int end = 0;
        while (end < fingerprint.length() && Character.isLetterOrDigit(fingerprint.charAt(end))) end++;
        return fingerprint.substring(0, end);
    }

    private BellwetherException undecodable(Wrapping wrapping, @Nullable Exception failure) {
        return new BellwetherException(
                "a message of queue " + name + ", written as " + wrapping.fingerprint() + ", cannot be decoded as "
                        + codec.fingerprint(),
                failure);
    }

    Optional<T> tryDecode(Bytes payload) {
        try {
            return Optional.of(decode(Wrapping.read(payload)));
        } catch (RuntimeException undecodable) {
            return Optional.empty();
        }
    }

    static Instant instant(long micros) {
        return Instant.EPOCH
                .plusNanos(Math.floorMod(micros, 1_000_000L) * 1_000)
                .plusSeconds(Math.floorDiv(micros, 1_000_000L));
    }

    static long micros(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
    }

    // ---- requests

    CompletableFuture<CommitReply> commit(String what, Mutation... mutations) {
        Commit commit = new Commit(engine.newRequestId(), List.of(), List.of(mutations));
        return engine.send(
                what + " " + name,
                engine.within(PATIENCE),
                () -> engine.backend().commit(commit));
    }

    /** Whether it happened: false if what stands there did not admit it. */
    CompletableFuture<Boolean> applied(String what, Mutation mutation) {
        return commit(what, mutation).thenApply(reply -> reply instanceof CommitReply.Committed);
    }

    boolean apply(String what, Mutation mutation) {
        return await(applied(what, mutation));
    }

    <R> CompletableFuture<R> inspect(String what, Inspection<R> question) {
        return engine.send(
                what + " " + name,
                engine.within(PATIENCE),
                () -> engine.backend().inspect(question));
    }

    CompletableFuture<QueueFigures> figures() {
        return inspect("figures of", new Inspection.Figures(queue));
    }

    CompletableFuture<List<Letter>> page(MessageState state, int limit, @Nullable MessageId after) {
        return inspect("messages of", new Inspection.Messages(queue, state, limit, after));
    }

    CompletableFuture<Optional<Letter>> letter(MessageId id) {
        return inspect("a message of", new Inspection.OneMessage(queue, id));
    }

    /** The figures after whatever is due by now has become ready. */
    CompletableFuture<QueueFigures> figuresOfDue() {
        ClaimRequest look = new ClaimRequest(queue, null, List.of(), 0, OpenDelivery.SHORTEST_LEASE, Duration.ZERO);
        return engine.send(
                        "look at",
                        engine.within(PATIENCE),
                        () -> engine.backend().claim(look))
                .thenCompose(claim -> figures());
    }

    /** Waits for what the engine ends by itself: at the latest after its own patience twice, once waiting, once asking. */
    <R> R await(CompletableFuture<R> future) {
        return Waiting.join(future, engine.within(PATIENCE.multipliedBy(3)));
    }
}
