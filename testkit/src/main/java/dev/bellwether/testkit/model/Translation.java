// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Check;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Unless;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Bury;
import dev.bellwether.spi.QueueMutation.Extend;
import dev.bellwether.spi.QueueMutation.Move;
import dev.bellwether.spi.QueueMutation.Remove;
import dev.bellwether.spi.QueueMutation.Retry;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.spi.Receipt;
import java.util.List;

/** Says a request of the model in the words of the backend. */
final class Translation {
    private final Dictionary words;

    Translation(Dictionary words) {
        this.words = words;
    }

    @SuppressWarnings("unchecked") // each case answers the kind of request that it was given
    <R> Request<R> of(Request<R> request) {
        if (request instanceof Request.Change change) return (Request<R>) new Request.Change(of(change.commit()));
        if (request instanceof Request.Acquire acquire) return (Request<R>) new Request.Acquire(of(acquire.lease()));
        if (request instanceof Request.Consume consume) return (Request<R>) new Request.Consume(of(consume.claim()));
        if (request instanceof Request.Look<R> look && look.what() instanceof Inspection.OneMessage one) {
            return (Request<R>)
                    new Request.Look<>(new Inspection.OneMessage(one.queue(), words.theirs(one.queue(), one.id())));
        }
        return request;
    }

    private Commit of(Commit commit) {
        List<Check> checks = commit.checks().stream().map(this::of).toList();
        List<Mutation> mutations = commit.mutations().stream().map(this::of).toList();
        return new Commit(commit.id(), checks, mutations);
    }

    private Check of(Check check) {
        if (check instanceof Check.Is is) {
            return new Check.Is(is.key(), words.theirs(is.key(), is.version()), is.orGet());
        }
        if (check instanceof Check.Current current) return new Check.Current(words.theirs(current.receipt()));
        return check;
    }

    private Mutation of(Mutation mutation) {
        if (mutation instanceof Settlement settlement) return of(settlement);
        if (mutation instanceof Move move) {
            return new Move(move.queue(), words.theirs(move.queue(), move.id()), move.delay());
        }
        if (mutation instanceof Remove remove) {
            return new Remove(remove.queue(), words.theirs(remove.queue(), remove.id()));
        }
        if (mutation instanceof Renew renew && renew.reinstate() != null) {
            return new Renew(
                    renew.lease(),
                    renew.owner(),
                    renew.ttl(),
                    words.theirs(renew.lease(), renew.reinstate()),
                    renew.share());
        }
        if (mutation instanceof Break end && end.token() != null) {
            return new Break(end.lease(), words.theirs(end.lease(), end.token()), end.atOnce());
        }
        return mutation;
    }

    private Settlement of(Settlement settlement) {
        Receipt receipt = words.theirs(settlement.receipt());
        if (settlement instanceof Retry retry) return new Retry(receipt, retry.delay(), retry.failed());
        if (settlement instanceof Bury bury) return new Bury(receipt, bury.reason(), bury.detail());
        if (settlement instanceof Extend extend) return new Extend(receipt, extend.lease());
        return new Ack(receipt);
    }

    private LeaseRequest of(LeaseRequest request) {
        Unless unless = request.unless();
        return unless == null
                ? request
                : request.withUnless(new Unless(unless.key(), words.theirs(unless.key(), unless.seen())));
    }

    private ClaimRequest of(ClaimRequest claim) {
        return new ClaimRequest(
                claim.queue(),
                claim.id(),
                claim.settle().stream().map(this::of).toList(),
                claim.max(),
                claim.lease(),
                claim.idle());
    }
}
