// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Capabilities;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.RequestId;
import dev.bellwether.spi.Subscription;
import dev.bellwether.spi.Version;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The model with one thing wrong. */
final class AlteredBackend implements KvBackend {
    enum Alteration {
        ENTRY_LIVES_A_MILLISECOND_LONGER,
        DELETE_IS_NOT_REMEMBERED,
        COMMITS_ARE_NOT_REMEMBERED,
        FIRST_OBSTACLE_ONLY,
        VERSION_STANDS_STILL,
        COUNTER_WRAPS_IN_SILENCE,
        LEASE_ENDS_A_MILLISECOND_EARLIER,
        QUIET_IS_IGNORED,
        BREAK_IS_ALWAYS_AT_ONCE,
        COUNTER_IS_NOT_RETAINED,
        PATIENCE_IS_ENDLESS,
        CLAIMS_ARE_NOT_REMEMBERED,
        RETRY_COUNTS_NO_FAILURE,
        DEDUP_NEVER_REPLACES,
        GROUPS_ARE_IGNORED,
        BANDS_ARE_IGNORED,
        CRASHES_ARE_FREE,
        BOUND_IS_IGNORED
    }

    private final KvBackend model;
    private final Alteration alteration;
    private long fresh = 1L << 40;

    AlteredBackend(KvBackend model, Alteration alteration) {
        this.model = model;
        this.alteration = alteration;
    }

    private boolean is(Alteration asked) {
        return alteration == asked;
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return model.read(query);
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        RequestId id = is(Alteration.COMMITS_ARE_NOT_REMEMBERED) ? new RequestId(9, fresh++) : commit.id();
        List<Mutation> mutations = commit.mutations().stream().map(this::alter).toList();
        return model.commit(new Commit(id, commit.checks(), mutations)).thenApply(this::alter);
    }

    private CommitReply alter(CommitReply reply) {
        if (reply instanceof CommitReply.Conflict conflict && is(Alteration.FIRST_OBSTACLE_ONLY)) {
            return new CommitReply.Conflict(conflict.obstacles().subList(0, 1), reply.now());
        }
        if (reply instanceof CommitReply.Committed done && is(Alteration.VERSION_STANDS_STILL)) {
            List<Outcome> outcomes = done.outcomes();
            return new CommitReply.Committed(new Version(77), outcomes, reply.now());
        }
        return reply;
    }

    private Mutation alter(Mutation mutation) {
        if (mutation instanceof EntryMutation entry) return alter(entry);
        if (mutation instanceof LeaseMutation.Take take) return new LeaseMutation.Take(alter(take.request()));
        if (mutation instanceof LeaseMutation.Release release && is(Alteration.QUIET_IS_IGNORED)) {
            return new LeaseMutation.Release(release.lease(), release.owner(), Quiet.NONE);
        }
        if (mutation instanceof LeaseMutation.Break end && is(Alteration.BREAK_IS_ALWAYS_AT_ONCE)) {
            return new LeaseMutation.Break(end.lease(), end.token(), true);
        }
        if (mutation instanceof QueueMutation.Enqueue enqueue) return alter(enqueue);
        if (mutation instanceof QueueMutation.Settlement settlement) return alter(settlement);
        return mutation;
    }

    private Mutation alter(EntryMutation mutation) {
        if (mutation instanceof EntryMutation.Put put
                && put.expiry() instanceof Expiry.After after
                && is(Alteration.ENTRY_LIVES_A_MILLISECOND_LONGER)) {
            Duration longer = Duration.ofMillis(Durations.millis(after.length()) + 1);
            return new EntryMutation.Put(put.key(), put.value(), Expiry.after(longer));
        }
        if (mutation instanceof EntryMutation.Delete delete && is(Alteration.DELETE_IS_NOT_REMEMBERED)) {
            return new EntryMutation.Delete(delete.key(), Duration.ZERO);
        }
        if (mutation instanceof EntryMutation.Count count && is(Alteration.COUNTER_WRAPS_IN_SILENCE)) {
            return new EntryMutation.Count(
                    count.key(), count.op(), count.operand(), EntryMutation.Overflow.WRAP, count.expiry());
        }
        return mutation;
    }

    private LeaseRequest alter(LeaseRequest request) {
        LeaseRequest.Line line = request.line();
        if (is(Alteration.LEASE_ENDS_A_MILLISECOND_EARLIER)) {
            long millis = Durations.millis(request.ttl());
            return withTtl(request, Duration.ofMillis(Math.max(1, millis - 1)));
        }
        if (is(Alteration.COUNTER_IS_NOT_RETAINED)) return request.withRetain(Duration.ZERO);
        if (is(Alteration.PATIENCE_IS_ENDLESS) && line != null) {
            return request.withLine(new LeaseRequest.Line(line.ticket(), line.grant(), Duration.ofDays(99)));
        }
        return request;
    }

    private static LeaseRequest withTtl(LeaseRequest r, Duration ttl) {
        return new LeaseRequest(
                r.lease(), r.owner(), ttl, r.share(), r.tokens(), r.retain(), r.line(), r.unless(), r.evenIfQuiet());
    }

    private QueueMutation alter(QueueMutation.Enqueue enqueue) {
        long bound = is(Alteration.BOUND_IS_IGNORED) ? QueueMutation.Enqueue.UNBOUNDED : enqueue.bound();
        UnaryOperator<Message> change = this::alter;
        return new QueueMutation.Enqueue(
                enqueue.queue(), enqueue.messages().stream().map(change).toList(), bound);
    }

    private Message alter(Message m) {
        Message.Dedup dedup = m.dedup();
        if (dedup != null && is(Alteration.DEDUP_NEVER_REPLACES)) {
            dedup = new Message.Dedup(dedup.key(), dedup.window(), Message.Dedup.Mode.IGNORE);
        }
        return new Message(
                m.payload(),
                m.delay(),
                is(Alteration.BANDS_ARE_IGNORED) ? 0 : m.band(),
                is(Alteration.GROUPS_ARE_IGNORED) ? null : m.group(),
                dedup,
                is(Alteration.CRASHES_ARE_FREE)
                        ? new Message.CrashPolicy(99, m.crashes().delay())
                        : m.crashes());
    }

    private QueueMutation.Settlement alter(QueueMutation.Settlement settlement) {
        return settlement instanceof QueueMutation.Retry retry && is(Alteration.RETRY_COUNTS_NO_FAILURE)
                ? new QueueMutation.Retry(retry.receipt(), retry.delay(), false)
                : settlement;
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return model.acquire(alter(request));
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest claim) {
        RequestId id = is(Alteration.CLAIMS_ARE_NOT_REMEMBERED) && claim.id() != null
                ? new RequestId(claim.id().process(), fresh++)
                : claim.id();
        List<QueueMutation.Settlement> settle =
                claim.settle().stream().map(this::alter).toList();
        return model.claim(new ClaimRequest(claim.queue(), id, settle, claim.max(), claim.lease(), claim.idle()));
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return model.inspect(what);
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        return model.listen(listener);
    }

    @Override
    public Capabilities capabilities() {
        return model.capabilities();
    }

    @Override
    public void close() {
        model.close();
    }
}
