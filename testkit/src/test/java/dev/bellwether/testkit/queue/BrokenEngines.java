// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.queue;

import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Bury;
import dev.bellwether.spi.QueueMutation.Extend;
import dev.bellwether.spi.QueueMutation.Retry;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.spi.Receipt;
import dev.bellwether.testkit.sim.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What an engine with a well-known fault would send: one for each kind of fault. */
final class BrokenEngines {
    private BrokenEngines() {}

    /** Acknowledges a message when it takes it, as a queue that pops does. */
    static KvBackend acknowledgesFirst(SimWorld world, KvBackend network) {
        return new Wire(network) {
            @Override
            public CompletionStage<Claim> claim(ClaimRequest request) {
                return inner.claim(request).thenApply(claim -> {
                    for (Claim.Handout handout : claim.handouts()) {
                        var unused = inner.commit(Commit.of(new Ack(handout.receipt())));
                    }
                    return claim;
                });
            }
        };
    }

    /** Believes that its heartbeats arrive. */
    static KvBackend doesNotExtend(SimWorld world, KvBackend network) {
        return new Wire(network) {
            @Override
            public CompletionStage<Claim> claim(ClaimRequest request) {
                boolean beats = request.settle().stream().anyMatch(Extend.class::isInstance);
                return beats ? CompletableFuture.completedStage(nothing(request)) : inner.claim(request);
            }
        };
    }

    private static Claim nothing(ClaimRequest request) {
        List<Boolean> settled = Collections.nCopies(request.settle().size(), true);
        return new Claim(settled, List.of(), List.of(), Claim.NOTHING_DUE, new dev.bellwether.spi.StoreTime(0, 0));
    }

    private static final Map<SimWorld, Map<MessageId, Integer>> LATEST = new WeakHashMap<>();

    /** Settles messages by their id, whichever delivery is the latest. */
    static KvBackend settlesWithoutReceipt(SimWorld world, KvBackend network) {
        Map<MessageId, Integer> latest = LATEST.computeIfAbsent(world, key -> new HashMap<>());
        return new Wire(network) {
            @Override
            public CompletionStage<Claim> claim(ClaimRequest request) {
                List<Settlement> settle = new ArrayList<>();
                for (Settlement each : request.settle()) settle.add(byId(each, latest));
                return inner.claim(new ClaimRequest(
                                request.queue(), request.id(), settle, request.max(), request.lease(), request.idle()))
                        .thenApply(claim -> {
                            for (Claim.Handout handout : claim.handouts()) {
                                Receipt receipt = handout.receipt();
                                latest.merge(receipt.id(), receipt.delivery(), Math::max);
                            }
                            return claim;
                        });
            }
        };
    }

    private static Settlement byId(Settlement settlement, Map<MessageId, Integer> latest) {
        Receipt old = settlement.receipt();
        Receipt receipt = new Receipt(old.queue(), old.id(), latest.getOrDefault(old.id(), old.delivery()));
        if (settlement instanceof Ack) return new Ack(receipt);
        if (settlement instanceof Retry retry) return new Retry(receipt, retry.delay(), retry.failed());
        if (settlement instanceof Bury bury) return new Bury(receipt, bury.reason(), bury.detail());
        return new Extend(receipt, ((Extend) settlement).lease());
    }

    /** Takes an acknowledgement for done that it never sent. */
    static KvBackend forgetsAcknowledgements(SimWorld world, KvBackend network) {
        return new Wire(network) {
            @Override
            public CompletionStage<Claim> claim(ClaimRequest request) {
                boolean forgets =
                        request.max() == 0 && request.settle().stream().anyMatch(Ack.class::isInstance)
                                || request.settle().stream().anyMatch(Ack.class::isInstance)
                                        && world.random().nextInt(4) == 0;
                return forgets ? CompletableFuture.completedStage(nothing(request)) : inner.claim(request);
            }
        };
    }

    /** Hides messages for much shorter than it believes. */
    static KvBackend leasesTooShort(SimWorld world, KvBackend network) {
        return new Wire(network) {
            @Override
            public CompletionStage<Claim> claim(ClaimRequest request) {
                return inner.claim(new ClaimRequest(
                        request.queue(), request.id(), request.settle(), request.max(), SHORT, request.idle()));
            }
        };
    }

    private static final Duration SHORT = Duration.ofMillis(600);
}
