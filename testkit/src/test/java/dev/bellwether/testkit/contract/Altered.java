// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Capabilities;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.RequestId;
import dev.bellwether.spi.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A correct backend seen through something that breaks it. The backend beneath answers on the calling thread, so each
 * step may be built of several.
 */
class Altered implements KvBackend {
    final KvBackend real;

    Altered(KvBackend real) {
        this.real = real;
    }

    // What one breach changes

    static UnaryOperator<KvBackend> mutations(UnaryOperator<Mutation> change) {
        return commits(commit -> new Commit(
                commit.id(),
                commit.checks(),
                commit.mutations().stream().map(change).toList()));
    }

    static UnaryOperator<KvBackend> commits(UnaryOperator<Commit> change) {
        return real -> new Altered(real) {
            @Override
            public CompletionStage<CommitReply> commit(Commit commit) {
                return real.commit(change.apply(commit));
            }
        };
    }

    /** Answers as told, given the commit and the true answer. */
    static UnaryOperator<KvBackend> replies(Reply change) {
        return real -> new Altered(real) {
            @Override
            public CompletionStage<CommitReply> commit(Commit commit) {
                return real.commit(commit).thenApply(reply -> change.apply(this, commit, reply));
            }
        };
    }

    @FunctionalInterface
    interface Reply {
        CommitReply apply(Altered backend, Commit commit, CommitReply reply);
    }

    /** Answers as told whatever was refused by nothing but such obstacles. */
    static UnaryOperator<KvBackend> forgiving(Class<? extends Obstacle> type, Reply instead) {
        return replies((backend, commit, reply) -> reply instanceof CommitReply.Conflict conflict
                        && conflict.obstacles().stream().allMatch(type::isInstance)
                ? instead.apply(backend, commit, reply)
                : reply);
    }

    static UnaryOperator<KvBackend> wishes(UnaryOperator<LeaseRequest> change) {
        return real -> new Altered(real) {
            @Override
            public CompletionStage<Acquisition> acquire(LeaseRequest request) {
                return real.acquire(change.apply(request));
            }
        };
    }

    static UnaryOperator<KvBackend> answers(Answer change) {
        return real -> new Altered(real) {
            @Override
            public CompletionStage<Acquisition> acquire(LeaseRequest request) {
                return real.acquire(request).thenApply(answer -> change.apply(this, request, answer));
            }
        };
    }

    @FunctionalInterface
    interface Answer {
        Acquisition apply(Altered backend, LeaseRequest request, Acquisition answer);
    }

    static UnaryOperator<KvBackend> claims(UnaryOperator<ClaimRequest> change) {
        return real -> new Altered(real) {
            @Override
            public CompletionStage<Claim> claim(ClaimRequest request) {
                return real.claim(change.apply(request));
            }
        };
    }

    static UnaryOperator<KvBackend> claimed(UnaryOperator<Claim> change) {
        return real -> new Altered(real) {
            @Override
            public CompletionStage<Claim> claim(ClaimRequest request) {
                return real.claim(request).thenApply(change);
            }
        };
    }

    static UnaryOperator<KvBackend> readings(UnaryOperator<Reading> change) {
        return real -> new Altered(real) {
            @Override
            public CompletionStage<Reading> read(Query query) {
                return real.read(query).thenApply(change);
            }
        };
    }

    static UnaryOperator<KvBackend> queries(UnaryOperator<Query> change) {
        return real -> new Altered(real) {
            @Override
            public CompletionStage<Reading> read(Query query) {
                return real.read(change.apply(query));
            }
        };
    }

    static UnaryOperator<KvBackend> hints(Predicate<Hint> passing) {
        return real -> new Altered(real) {
            @Override
            public Subscription listen(Consumer<? super Hint> listener) {
                return real.listen(hint -> {
                    if (passing.test(hint)) listener.accept(hint);
                });
            }
        };
    }

    static UnaryOperator<KvBackend> capable(UnaryOperator<Capabilities> change) {
        return real -> new Altered(real) {
            @Override
            public Capabilities capabilities() {
                return change.apply(real.capabilities());
            }
        };
    }

    // Steps

    static <T> T now(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    CommitReply act(Mutation... mutations) {
        return now(real.commit(new Commit(freshId(), List.of(), List.of(mutations))));
    }

    /** The commit without these mutations, each answered by the given outcome. */
    CommitReply without(Commit commit, Predicate<Mutation> dropped, Function<Mutation, Outcome> outcome) {
        List<Mutation> kept =
                commit.mutations().stream().filter(dropped.negate()).toList();
        CommitReply reply = now(real.commit(new Commit(commit.id(), harmless(commit.checks()), kept)));
        if (!(reply instanceof CommitReply.Committed committed)) return reply;
        List<Outcome> outcomes = new ArrayList<>();
        int next = 0;
        for (Mutation mutation : commit.mutations()) {
            outcomes.add(
                    dropped.test(mutation)
                            ? outcome.apply(mutation)
                            : committed.outcomes().get(next++));
        }
        return new CommitReply.Committed(committed.version(), outcomes, committed.now());
    }

    private static List<Check> harmless(List<Check> checks) {
        List<Check> all = new ArrayList<>(checks);
        all.add(new Check.Vacant(KvKey.of(Bytes.utf8("never-written")), false));
        return all;
    }

    static RequestId freshId() {
        return BackendContract.id();
    }

    // The rest as it is

    @Override
    public CompletionStage<Reading> read(Query query) {
        return real.read(query);
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        return real.commit(commit);
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return real.acquire(request);
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        return real.claim(request);
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return real.inspect(what);
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        return real.listen(listener);
    }

    @Override
    public Capabilities capabilities() {
        return real.capabilities();
    }

    @Override
    public void close() {
        real.close();
    }
}
