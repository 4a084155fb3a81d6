// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Receipt;
import dev.bellwether.spi.StoreTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Claims from queues; the long form, with the keys for dead letters, groups and deduplication, only where needed. */
final class Claims {
    private static final String SHORT = "crdxpaws";
    private static final String LONG = "crdxpawskKuegh";

    private final Runner runner;
    private final Crowd elaborate;
    private final String inbox;
    private final Duration memory;

    Claims(Runner runner, Crowd elaborate, String inbox, Duration memory) {
        this.runner = runner;
        this.elaborate = elaborate;
        this.inbox = inbox;
        this.memory = memory;
    }

    CompletionStage<Claim> claim(ClaimRequest request) {
        boolean buries = false;
        for (QueueMutation.Settlement settlement : request.settle()) buries |= settlement instanceof QueueMutation.Bury;
        return claim(request, buries || elaborate.contains(request.queue()));
    }

    private CompletionStage<Claim> claim(ClaimRequest request, boolean all) {
        CompletableFuture<Claim> result = new CompletableFuture<>();
        String what = "a claim on " + request.queue().name();
        runner.run(encode(request, all ? LONG : SHORT), false, what, false, row -> row)
                .whenComplete((row, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(failure);
                    } else if (row.wantsMore()) {
                        elaborate.add(request.queue());
                        Runner.pass(claim(request, true), result);
                    } else {
                        complete(result, request.queue(), row, what);
                    }
                });
        return result;
    }

    private Request encode(ClaimRequest claim, String letters) {
        Request request = new Request(Script.CLAIM);
        long consumer = claim.id() == null ? 0 : claim.id().process();
        for (int i = 0; i < letters.length(); i++) {
            char letter = letters.charAt(i);
            request.key(
                    letter == 'c'
                            ? Keys.lastClaim(claim.queue(), consumer)
                            : Keys.of(Keys.QUEUE + letter, claim.queue()));
        }
        request.arg(letters);
        if (claim.id() == null) request.arg("");
        else
            request.arg(Keys.owner(new dev.bellwether.spi.Owner(
                    claim.id().process(), claim.id().counter())));
        request.arg(claim.max()).arg(Lengths.millis(claim.lease())).arg(Lengths.millis(claim.idle()));
        request.arg(inbox + " " + new String(Keys.hex(consumer), StandardCharsets.US_ASCII));
        request.arg(Lengths.millis(memory));
        for (QueueMutation.Settlement settlement : claim.settle()) CommitRequest.addSettlement(request, settlement);
        return request;
    }

    private static void complete(CompletableFuture<Claim> result, QueueName queue, Runner.Row row, String what) {
        try {
            result.complete(decode(queue, row));
        } catch (RuntimeException defect) {
            result.completeExceptionally(ExceptionMapping.map(defect, what, false));
        }
    }

    private static Claim decode(QueueName queue, Runner.Row row) {
        List<Boolean> settled = new ArrayList<>();
        for (byte flag : row.bytes(1)) settled.add(flag == '1');
        long next = row.number(2);
        List<MessageId> buried = new ArrayList<>();
        for (int i = 0; i < row.row(3).size(); i++)
            buried.add(new MessageId(row.row(3).text(i)));
        List<Claim.Handout> handouts = new ArrayList<>(row.size() - 4);
        for (int i = 4; i < row.size(); i++) {
            Runner.Row item = row.row(i);
            Receipt receipt = new Receipt(queue, new MessageId(item.text(0)), item.integer(1));
            handouts.add(new Claim.Handout(receipt, Bytes.wrap(item.bytes(4)), item.integer(2), item.integer(3)));
        }
        return new Claim(
                settled,
                handouts,
                buried,
                next < 0 ? Claim.NOTHING_DUE : Lengths.micros(next),
                StoreTime.exact(row.number(0)));
    }
}
