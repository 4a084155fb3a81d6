// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Receipt;
import dev.bellwether.spi.Tokens;
import dev.bellwether.spi.Version;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What the model calls a thing, and what the backend calls the same thing: versions, tokens and message ids are chosen by
 * each store. Under one name they must stay the same thing, and grow in the same order (S2).
 */
final class Dictionary {
    private final Map<KvKey, TreeMap<Long, Long>> versions = new HashMap<>();
    private final Map<LeaseName, TreeMap<Long, Long>> tokens = new HashMap<>();
    private final Map<QueueName, Map<MessageId, MessageId>> ids = new HashMap<>();

    Version theirs(KvKey key, Version ours) {
        if (ours.equals(Version.NONE)) return ours;
        return new Version(versions.getOrDefault(key, new TreeMap<>()).getOrDefault(ours.value(), ours.value()));
    }

    /** A token inside a range, or just after one, keeps its distance from the first. */
    long theirs(LeaseName lease, long ours) {
        Map.Entry<Long, Long> range =
                tokens.getOrDefault(lease, new TreeMap<>()).floorEntry(ours);
        return ours == 0 || range == null ? ours : range.getValue() + (ours - range.getKey());
    }

    Tokens theirs(LeaseName lease, Tokens ours) {
        long first = theirs(lease, ours.first());
        return new Tokens(first, first + ours.last() - ours.first());
    }

    MessageId theirs(QueueName queue, MessageId ours) {
        return ids.getOrDefault(queue, Map.of()).getOrDefault(ours, ours);
    }

    Receipt theirs(Receipt ours) {
        return new Receipt(ours.queue(), theirs(ours.queue(), ours.id()), ours.delivery());
    }

    void learn(KvKey key, Version ours, Version theirs) {
        if (ours.equals(Version.NONE) || theirs.equals(Version.NONE)) {
            if (!ours.equals(theirs)) throw new Divergence("version of " + key.name(), ours, theirs);
            return;
        }
        learn(
                versions.computeIfAbsent(key, k -> new TreeMap<>()),
                ours.value(),
                theirs.value(),
                "version of " + key.name());
    }

    void learn(LeaseName lease, Tokens ours, Tokens theirs) {
        if (ours.last() - ours.first() != theirs.last() - theirs.first()) {
            throw new Divergence("number of tokens of " + lease.name(), ours, theirs);
        }
        learn(
                tokens.computeIfAbsent(lease, l -> new TreeMap<>()),
                ours.first(),
                theirs.first(),
                "token of " + lease.name());
    }

    void learn(QueueName queue, MessageId ours, MessageId theirs) {
        Map<MessageId, MessageId> known = ids.computeIfAbsent(queue, q -> new HashMap<>());
        MessageId before = known.get(ours);
        if (before == null && known.containsValue(theirs)) throw new Divergence("id used again", ours, theirs);
        if (before != null && !before.equals(theirs)) throw new Divergence("id, known as " + before, ours, theirs);
        known.put(ours, theirs);
    }

    private static void learn(NavigableMap<Long, Long> known, long ours, long theirs, String what) {
        Long before = known.get(ours);
        if (before != null && before != theirs) throw new Divergence(what + ", known as " + before, ours, theirs);
        Map.Entry<Long, Long> lower = known.lowerEntry(ours);
        Map.Entry<Long, Long> higher = known.higherEntry(ours);
        boolean ordered =
                (lower == null || lower.getValue() < theirs) && (higher == null || theirs < higher.getValue());
        if (!ordered) throw new Divergence(what + " between " + lower + " and " + higher, ours, theirs);
        known.put(ours, theirs);
    }
}
