// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.RequestId;
import dev.bellwether.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A model store, its time, and short words for asking it. */
final class Sheet {
    static final KvKey KEY = KvKey.of(Bytes.utf8("key"));
    static final LeaseName LEASE = LeaseName.of(Bytes.utf8("lease"));
    static final QueueName QUEUE = QueueName.of(Bytes.utf8("queue"));
    static final Owner ANN = new Owner(1, 1);
    static final Owner BOB = new Owner(2, 1);
    static final Owner CID = new Owner(3, 1);

    final ManualTime time = new ManualTime();
    final ModelBackend backend = new ModelBackend(time);
    final List<Hint> hints = new ArrayList<>();
    private long requests;

    Sheet() {
        var unused = backend.listen(hints::add);
    }

    static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    static <R> R now(CompletionStage<R> stage) {
        return stage.toCompletableFuture().join();
    }

    KvEntry read(KvKey key) {
        return now(backend.read(new Query.Keys(List.of(key), false))).entries().get(0);
    }

    CommitReply commit(Commit commit) {
        return now(backend.commit(commit));
    }

    CommitReply.Committed done(Mutation... mutations) {
        return (CommitReply.Committed) commit(Commit.of(mutations));
    }

    List<Obstacle> refused(Mutation... mutations) {
        return ((CommitReply.Conflict) commit(Commit.of(mutations))).obstacles();
    }

    Acquisition acquire(LeaseRequest request) {
        return now(backend.acquire(request));
    }

    static LeaseRequest wish(Owner owner) {
        return LeaseRequest.of(LEASE, owner, seconds(10));
    }

    static LeaseRequest waiting(Owner owner, Duration patience) {
        return wish(owner).withLine(new LeaseRequest.Line(seconds(60), seconds(2), patience));
    }

    LeaseState lease() {
        return now(backend.inspect(new Inspection.Holding(LEASE)));
    }

    MessageId enqueue(Message message) {
        return enqueued(message).ids().get(0);
    }

    Outcome.Enqueued enqueued(Message... messages) {
        return (Outcome.Enqueued) done(new QueueMutation.Enqueue(QUEUE, List.of(messages), 100))
                .outcomes()
                .get(0);
    }

    static Message message(String payload) {
        return Message.of(Bytes.utf8(payload));
    }

    static Message grouped(String payload) {
        return new Message(Bytes.utf8(payload), Duration.ZERO, 0, Bytes.utf8("g"), null, Message.CrashPolicy.DEFAULT);
    }

    static Message keyed(String payload, Message.Dedup.Mode mode) {
        Message.Dedup dedup = new Message.Dedup(Bytes.utf8("k"), seconds(60), mode);
        return new Message(Bytes.utf8(payload), Duration.ZERO, 0, null, dedup, Message.CrashPolicy.DEFAULT);
    }

    ClaimRequest claimOf(int max, Settlement... settle) {
        return new ClaimRequest(QUEUE, new RequestId(7, ++requests), List.of(settle), max, seconds(10), seconds(5));
    }

    Claim claim(int max, Settlement... settle) {
        return now(backend.claim(claimOf(max, settle)));
    }

    Claim.Handout take() {
        return claim(1).handouts().get(0);
    }

    MessageState stateOf(MessageId id) {
        return now(backend.inspect(new Inspection.OneMessage(QUEUE, id)))
                .map(Inspection.Letter::state)
                .orElse(MessageState.GONE);
    }
}
