// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Receipt;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What befell the messages of one queue: checks Q1, Q2 and Q4 against where they are in the end.
 *
 * <p>Moments are the store's microseconds. Only what is certain is told: an enqueue, a settlement or a removal whose
 * reply was lost is told when it is known, or not at all. Not thread-safe.
 */
public final class QueueHistory {
    private static final class Life {
        long dueMicros = Long.MIN_VALUE;
        boolean acknowledged;
        boolean removed;
        final Set<Integer> deliveries = new TreeSet<>();
        final Set<Integer> settled = new TreeSet<>();
        int acks;
        int ackedBy;
        boolean mayHaveEnded;
        int effects;
    }

    private final Map<MessageId, Life> lives = new LinkedHashMap<>();
    private final Map<MessageId, MessageState> places = new LinkedHashMap<>();
    private final Set<MessageId> doublyPlaced = new LinkedHashSet<>();

    /** Nothing enqueued yet. */
    public QueueHistory() {}

    private Life life(MessageId id) {
        return lives.computeIfAbsent(id, i -> new Life());
    }

    /** An enqueue was acknowledged, of a message due no earlier than this. */
    public void enqueued(MessageId id, long dueMicros) {
        life(id).acknowledged = true;
        life(id).dueMicros = dueMicros;
    }

    /** A claim handed it out, at this moment of the store. */
    public void delivered(Receipt receipt, long atMicros) {
        Life life = life(receipt.id());
        life.deliveries.add(receipt.delivery());
        if (atMicros < life.dueMicros) {
            throw new AssertionError(
                    "Q2: " + receipt.id() + " was delivered at " + atMicros + ", due at " + life.dueMicros);
        }
    }

    /** Somebody asked for its end, by acknowledgement or removal, and may never learn whether that happened. */
    public void mayEnd(MessageId id) {
        life(id).mayHaveEnded = true;
    }

    /** The store said that the acknowledgement took effect; tell each acknowledgement once, however often it was sent. */
    public void acked(Receipt receipt) {
        life(receipt.id()).acks++;
        life(receipt.id()).ackedBy = receipt.delivery();
        settled(receipt);
    }

    /** The store said that another settlement (retry, bury) of this receipt took effect; once, as above. */
    public void settled(Receipt receipt) {
        Life life = life(receipt.id());
        if (!life.settled.add(receipt.delivery())) {
            throw new AssertionError("Q2: " + receipt + " was settled twice");
        }
    }

    /** It was cancelled. */
    public void removed(MessageId id) {
        life(id).removed = true;
    }

    /** What its completion should bring about exactly once was found to have happened. */
    public void effect(MessageId id) {
        life(id).effects++;
    }

    /** Where messages are in the end; call it once for each state, {@link MessageState#GONE} excepted. */
    public void placed(MessageState state, Collection<MessageId> ids) {
        for (MessageId id : ids) {
            if (places.put(id, state) != null) doublyPlaced.add(id);
        }
    }

    /** How many deliveries there were. */
    public long deliveries() {
        return lives.values().stream().mapToLong(life -> life.deliveries.size()).sum();
    }

    /**
     * Compares the lives with the places.
     *
     * @throws AssertionError naming the message that was lost, delivered after its end, or acknowledged by a stale
     *     receipt
     */
    public void check() {
        if (!doublyPlaced.isEmpty()) throw new AssertionError("in two places at once: " + doublyPlaced);
        lives.forEach(this::check);
    }

    private void check(MessageId id, Life life) {
        boolean there = places.containsKey(id);
        if (life.acknowledged && life.acks == 0 && !life.removed && !life.mayHaveEnded && !there) {
            throw new AssertionError("Q1: " + id + " is lost: enqueued, neither acknowledged nor removed, and nowhere");
        }
        if ((life.acks > 0 || life.removed) && there) {
            throw new AssertionError("Q1: " + id + " has ended and is still " + places.get(id));
        }
        if (life.acks > 1)
            throw new AssertionError("Q2: " + id + " was acknowledged by two deliveries: " + life.settled);
        int last = life.deliveries.stream().mapToInt(Integer::intValue).max().orElse(0);
        if (life.acks > 0 && life.ackedBy < last) {
            throw new AssertionError("Q2: " + id + " was acknowledged by delivery " + life.ackedBy
                    + " although delivery " + last + " came later");
        }
        boolean ended = life.acks > 0 || (life.mayHaveEnded && !there);
        if (life.effects > 1 || (life.effects == 1 && !ended)) {
            throw new AssertionError(
                    "Q4: " + id + " had its effect " + life.effects + " times, acknowledged " + life.acks + " times");
        }
    }
}
