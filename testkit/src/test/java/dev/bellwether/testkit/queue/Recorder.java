// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.queue;

import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Extend;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.spi.Receipt;
import dev.bellwether.testkit.sim.QueueHistory;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;

/** Tells a history what an engine asked of its queue, and what it was answered. */
final class Recorder extends Wire {
    private final QueueHistory history;
    private final ObjIntConsumer<MessageId> handedOut;
    private final Consumer<? super AssertionError> violated;
    private final Set<Receipt> settled = new HashSet<>();

    Recorder(
            KvBackend inner,
            QueueHistory history,
            ObjIntConsumer<MessageId> handedOut,
            Consumer<? super AssertionError> violated) {
        super(inner);
        this.history = history;
        this.handedOut = handedOut;
        this.violated = violated;
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        request.settle().forEach(this::asked);
        return inner.claim(request).thenApply(claim -> {
            try {
                answered(request, claim);
            } catch (AssertionError broken) {
                violated.accept(broken); // an engine takes whatever is thrown here for a failure of the store
            }
            return claim;
        });
    }

    private void answered(ClaimRequest request, Claim claim) {
        for (int i = 0; i < request.settle().size(); i++) {
            if (claim.settled().get(i)) answered(request.settle().get(i));
        }
        for (Claim.Handout handout : claim.handouts()) {
            history.delivered(handout.receipt(), claim.now().micros());
            handedOut.accept(handout.receipt().id(), handout.receipt().delivery());
        }
    }

    private void asked(Settlement settlement) {
        if (settlement instanceof Ack) history.mayEnd(settlement.receipt().id());
    }

    /** Once for each receipt: a claim that is sent again is answered as before. */
    private void answered(Settlement settlement) {
        if (settlement instanceof Extend || !settled.add(settlement.receipt())) return;
        if (settlement instanceof Ack) history.acked(settlement.receipt());
        else history.settled(settlement.receipt());
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        return inner.commit(commit).thenApply(reply -> {
            if (reply instanceof CommitReply.Committed) {
                for (Mutation mutation : commit.mutations()) {
                    if (mutation instanceof Settlement settlement) answered(settlement);
                }
            }
            return reply;
        });
    }
}
