// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Take;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.QueueMutation.Enqueue;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Receipt;
import dev.bellwether.spi.Tokens;
import dev.bellwether.spi.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What earlier replies of the model brought forth and later requests may name, latest last. */
final class Known {
    private final Map<KvKey, List<Version>> versions = new HashMap<>();
    private final Map<LeaseName, List<Tokens>> tokens = new HashMap<>();
    private final Map<QueueName, List<Receipt>> receipts = new HashMap<>();
    private final Map<QueueName, List<MessageId>> ids = new HashMap<>();

    List<Version> versions(KvKey key) {
        return versions.computeIfAbsent(key, k -> new ArrayList<>());
    }

    List<Tokens> tokens(LeaseName lease) {
        return tokens.computeIfAbsent(lease, l -> new ArrayList<>());
    }

    List<Receipt> receipts(QueueName queue) {
        return receipts.computeIfAbsent(queue, q -> new ArrayList<>());
    }

    List<MessageId> ids(QueueName queue) {
        return ids.computeIfAbsent(queue, q -> new ArrayList<>());
    }

    void learn(Request<?> request, Object reply) {
        if (reply instanceof Reading reading) reading.entries().forEach(this::learn);
        if (reply instanceof Acquisition.Granted granted && request instanceof Request.Acquire acquire) {
            tokens(acquire.lease().lease()).add(granted.tokens());
        }
        if (reply instanceof Claim claim) {
            claim.handouts().forEach(hand -> receipts(hand.receipt().queue()).add(hand.receipt()));
        }
        if (reply instanceof CommitReply.Committed done && request instanceof Request.Change change) {
            for (int i = 0; i < done.outcomes().size(); i++) {
                learn(change.commit().mutations().get(i), done.outcomes().get(i), done.version());
            }
        }
    }

    private void learn(KvEntry entry) {
        versions(entry.key()).add(entry.version());
    }

    private void learn(Mutation mutation, Outcome outcome, Version version) {
        if (mutation instanceof EntryMutation entry) versions(entry.key()).add(version);
        if (mutation instanceof Take take && outcome instanceof Outcome.Taken taken) {
            tokens(take.lease()).add(taken.tokens());
        }
        if (mutation instanceof Enqueue enqueue && outcome instanceof Outcome.Enqueued enqueued) {
            ids(enqueue.queue()).addAll(enqueued.ids());
        }
    }
}
