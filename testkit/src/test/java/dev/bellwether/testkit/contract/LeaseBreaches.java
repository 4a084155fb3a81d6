// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static dev.bellwether.testkit.contract.Altered.answers;
import static dev.bellwether.testkit.contract.Altered.commits;
import static dev.bellwether.testkit.contract.Altered.forgiving;
import static dev.bellwether.testkit.contract.Altered.mutations;
import static dev.bellwether.testkit.contract.Altered.replies;
import static dev.bellwether.testkit.contract.Altered.wishes;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Acquisition.Busy;
import dev.bellwether.spi.Acquisition.Ended;
import dev.bellwether.spi.Acquisition.Granted;
import dev.bellwether.spi.Acquisition.Refused;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseMutation.Take;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Share;
import dev.bellwether.spi.LeaseRequest.Unless;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Tokens;
import dev.bellwether.spi.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Backends that get holds, tokens, quiet times and breaks wrong. */
final class LeaseBreaches {
    private static final Outcome RENEWED = new Outcome.Renewed(0);

    static final List<Breach> ALL = List.of(
            Breach.of("grants what another holds", answers(LeaseBreaches::granted), Law.EXCLUSIVE, Law.CAPACITY),
            Breach.of("grants beyond the capacity", wishes(r -> r.withShare(light(r.share()))), Law.CAPACITY),
            Breach.of("answers another capacity as busy", answers(LeaseBreaches::mild), Law.CAPACITY_AGREED),
            Breach.of("takes another capacity over", TakesCapacityOver::new, Law.CAPACITY_AGREED),
            Breach.of("ends a term early", terms(ttl -> ttl.minusMillis(1)), Law.TERM),
            Breach.of("ends a term late", terms(ttl -> ttl.toDays() > 9 ? ttl : ttl.plusMillis(1)), Law.TERM),
            Breach.of("does not prolong a term that is asked for again", AnswersFromMemory::new, Law.TERM),
            Breach.of("shortens a term that is asked for again", ShortensTerms::new, Law.TERM),
            Breach.of("hands out one token twice", SameToken::new, Law.TOKENS),
            Breach.of("lets tokens go back", TokensGoBack::new, Law.TOKENS),
            Breach.of("grants one token instead of a range", wishes(r -> r.withTokens(1)), Law.TOKENS),
            Breach.of("forgets whose hold is over", answers(LeaseBreaches::renewedOwner), Law.ENDED, Law.LEASE_TWICE),
            Breach.of("takes a wish sent again for another", FreshOwners::new, Law.LEASE_TWICE),
            Breach.of(
                    "renews what is over",
                    forgiving(Obstacle.NotHeld.class, (b, c, r) -> pretending(b, c, r, Renew.class, RENEWED)),
                    Law.RENEWAL,
                    Law.REINSTATE,
                    Law.BREAK),
            Breach.of("renews nothing", replies(LeaseBreaches::unrenewed), Law.RENEWAL),
            Breach.of(
                    "lets a stale owner release",
                    forgiving(Obstacle.NotHeld.class, LeaseBreaches::evicting),
                    Law.RELEASE,
                    Law.LEASE_TWICE),
            Breach.of("releases nothing", replies(LeaseBreaches::unreleased), Law.RELEASE, Law.EXCLUSIVE),
            Breach.of("forgets to check who holds", checksWithoutFence(), Law.FENCE),
            Breach.of(
                    "applies what comes with a lost hold",
                    forgiving(Obstacle.NotHeld.class, LeaseBreaches::unfenced),
                    Law.FENCE),
            Breach.of("never looks for the entry", wishes(r -> r.withUnless(null)), Law.UNLESS),
            Breach.of("takes every entry for unseen", wishes(r -> r.withUnless(unseen(r.unless()))), Law.UNLESS),
            Breach.of("forgets the quiet", releases(quiet -> Quiet.NONE), Law.QUIET),
            Breach.of("forgets the note", releases(quiet -> new Quiet(quiet.time(), Bytes.EMPTY)), Law.QUIET),
            Breach.of("never lets anybody insist", wishes(r -> r.withEvenIfQuiet(false)), Law.QUIET),
            Breach.of("lets everybody insist", wishes(r -> r.withEvenIfQuiet(true)), Law.QUIET),
            Breach.of("restores nothing", mutations(LeaseBreaches::plain), Law.REINSTATE),
            Breach.of("breaks at once whatever was asked", breaking((token, now) -> true), Law.BREAK),
            Breach.of("breaks nothing at once", breaking((token, now) -> false), Law.BREAK),
            Breach.of("breaks whoever holds", mutations(LeaseBreaches::blunt), Law.BREAK),
            Breach.of("takes what another holds", forgiving(Obstacle.LeaseTaken.class, LeaseBreaches::taken), Law.TAKE),
            Breach.of(
                    "lists only what is held",
                    listing(all ->
                            all.stream().filter(s -> !s.holds().isEmpty()).toList()),
                    Law.OVERVIEW),
            Breach.of("forgets to count who waits", listing(LeaseBreaches::lonely), Law.OVERVIEW));

    private LeaseBreaches() {}

    private static Tokens invented(Acquisition answer) {
        long micros = answer.now().micros() + BackendContract.fresh() % 1_000;
        return new Tokens(micros, micros);
    }

    private static Acquisition granted(Altered backend, LeaseRequest request, Acquisition answer) {
        return answer instanceof Busy ? new Granted(invented(answer), 0, answer.now()) : answer;
    }

    private static Share light(Share share) {
        return new Share(1, share.capacity());
    }

    private static Acquisition mild(Altered backend, LeaseRequest request, Acquisition answer) {
        return answer instanceof Refused ? new Busy(1, request.ttl(), -1, answer.now()) : answer;
    }

    private static LeaseRequest termed(LeaseRequest r, Duration ttl) {
        return new LeaseRequest(
                r.lease(), r.owner(), ttl, r.share(), r.tokens(), r.retain(), r.line(), r.unless(), r.evenIfQuiet());
    }

    private static UnaryOperator<KvBackend> terms(UnaryOperator<Duration> change) {
        return wishes(r -> termed(r, change.apply(r.ttl())));
    }

    private static Acquisition renewedOwner(Altered backend, LeaseRequest request, Acquisition answer) {
        if (!(answer instanceof Ended)) return answer;
        return Altered.now(backend.real.acquire(owned(request, BackendContract.owner())));
    }

    private static LeaseRequest owned(LeaseRequest r, Owner owner) {
        return new LeaseRequest(
                r.lease(), owner, r.ttl(), r.share(), r.tokens(), r.retain(), r.line(), r.unless(), r.evenIfQuiet());
    }

    private static CommitReply pretending(
            Altered backend, Commit commit, CommitReply reply, Class<? extends Mutation> type, Outcome outcome) {
        if (commit.mutations().stream().noneMatch(type::isInstance)) return reply;
        return backend.without(commit, type::isInstance, mutation -> outcome);
    }

    private static CommitReply unrenewed(Altered backend, Commit commit, CommitReply reply) {
        for (Mutation mutation : commit.mutations()) {
            if (!(mutation instanceof Renew renew) || !(reply instanceof CommitReply.Committed)) continue;
            backend.act(new Release(renew.lease(), renew.owner(), Quiet.NONE));
        }
        return reply;
    }

    private static CommitReply evicting(Altered backend, Commit commit, CommitReply reply) {
        for (Mutation mutation : commit.mutations()) {
            if (mutation instanceof Release release) backend.act(new Break(release.lease(), null, true));
        }
        return reply;
    }

    private static CommitReply unreleased(Altered backend, Commit commit, CommitReply reply) {
        for (Mutation mutation : commit.mutations()) {
            if (!(mutation instanceof Release release) || !(reply instanceof CommitReply.Committed)) continue;
            backend.act(new Take(LeaseRequest.of(release.lease(), BackendContract.owner(), BackendContract.LONG)
                    .withEvenIfQuiet(true)));
        }
        return reply;
    }

    private static UnaryOperator<KvBackend> checksWithoutFence() {
        return commits(commit -> {
            List<Check> checks = new ArrayList<>(commit.checks());
            if (!commit.mutations().isEmpty()) checks.removeIf(Check.Held.class::isInstance);
            return new Commit(commit.id(), checks, commit.mutations());
        });
    }

    private static CommitReply unfenced(Altered backend, Commit commit, CommitReply reply) {
        return backend.without(
                new Commit(null, List.of(), commit.mutations()),
                mutation -> mutation instanceof Release || mutation instanceof Renew,
                mutation -> mutation instanceof Renew ? RENEWED : Outcome.DONE);
    }

    private static @Nullable Unless unseen(@Nullable Unless unless) {
        return unless == null ? null : new Unless(unless.key(), Version.NONE);
    }

    private static UnaryOperator<KvBackend> releases(UnaryOperator<Quiet> change) {
        return mutations(m -> m instanceof Release r ? new Release(r.lease(), r.owner(), change.apply(r.quiet())) : m);
    }

    private static Mutation plain(Mutation mutation) {
        return mutation instanceof Renew r ? new Renew(r.lease(), r.owner(), r.ttl(), null) : mutation;
    }

    private interface Moment {
        boolean atOnce(boolean token, boolean asked);
    }

    private static UnaryOperator<KvBackend> breaking(Moment moment) {
        return mutations(m -> m instanceof Break b
                ? new Break(b.lease(), b.token(), moment.atOnce(b.token() != null, b.atOnce()))
                : m);
    }

    private static Mutation blunt(Mutation mutation) {
        return mutation instanceof Break b ? new Break(b.lease(), null, b.atOnce()) : mutation;
    }

    private static CommitReply taken(Altered backend, Commit commit, CommitReply reply) {
        long token = reply.now().micros();
        return backend.without(commit, Take.class::isInstance, mutation -> new Outcome.Taken(new Tokens(token, token)));
    }

    private static UnaryOperator<KvBackend> listing(UnaryOperator<List<LeaseState>> change) {
        return real -> new Altered(real) {
            @Override
            @SuppressWarnings("unchecked")
            public <R> CompletionStage<R> inspect(Inspection<R> what) {
                if (!(what instanceof Inspection.Leases leases)) {
                    if (!(what instanceof Inspection.Holding holding)) return real.inspect(what);
                    return (CompletionStage<R>) real.inspect(holding)
                            .thenApply(state -> change.apply(List.of(state)).stream()
                                    .findFirst()
                                    .orElse(state));
                }
                return (CompletionStage<R>) real.inspect(leases).thenApply(change);
            }
        };
    }

    private static List<LeaseState> lonely(List<LeaseState> all) {
        return all.stream()
                .map(s -> new LeaseState(s.lease(), s.holds(), 0, s.quiet(), s.lastToken()))
                .toList();
    }

    /** Something remembered about each acquisition. */
    private abstract static class Remembering extends Altered {
        final Map<LeaseName, Long> numbers = new HashMap<>();
        final Map<Owner, Acquisition> grants = new HashMap<>();

        Remembering(KvBackend real) {
            super(real);
        }

        abstract Acquisition answer(LeaseRequest request);

        @Override
        public CompletionStage<Acquisition> acquire(LeaseRequest request) {
            return CompletableFuture.completedStage(answer(request));
        }

        Acquisition ask(LeaseRequest request) {
            return now(real.acquire(request));
        }
    }

    private static final class TakesCapacityOver extends Remembering {
        TakesCapacityOver(KvBackend real) {
            super(real);
        }

        @Override
        Acquisition answer(LeaseRequest request) {
            Acquisition answer = ask(request);
            return answer instanceof Refused ? new Granted(invented(answer), 0, answer.now()) : answer;
        }
    }

    private static final class AnswersFromMemory extends Remembering {
        AnswersFromMemory(KvBackend real) {
            super(real);
        }

        @Override
        Acquisition answer(LeaseRequest request) {
            return grants.computeIfAbsent(request.owner(), owner -> ask(request));
        }
    }

    private static final class ShortensTerms extends Remembering {
        ShortensTerms(KvBackend real) {
            super(real);
        }

        @Override
        Acquisition answer(LeaseRequest request) {
            Acquisition answer = ask(request);
            Acquisition before = grants.put(request.owner(), answer);
            if (before == null || !(answer instanceof Granted)) return answer;
            act(new Leave(request.lease(), request.owner()));
            Acquisition unused = ask(owned(request, BackendContract.owner()));
            return answer;
        }
    }

    private static final class SameToken extends Remembering {
        SameToken(KvBackend real) {
            super(real);
        }

        @Override
        Acquisition answer(LeaseRequest request) {
            Acquisition answer = ask(request);
            if (!(answer instanceof Granted granted)) return answer;
            long first = numbers.computeIfAbsent(
                    request.lease(), lease -> granted.tokens().first());
            return new Granted(new Tokens(first, first + request.tokens() - 1), granted.waiting(), granted.now());
        }
    }

    private static final class TokensGoBack extends Remembering {
        TokensGoBack(KvBackend real) {
            super(real);
        }

        @Override
        Acquisition answer(LeaseRequest request) {
            Acquisition answer = ask(request);
            if (!(answer instanceof Granted granted)) return answer;
            long back = numbers.merge(request.lease(), 1L << 20, Long::sum);
            Tokens tokens = granted.tokens();
            return new Granted(
                    new Tokens(tokens.first() - back, tokens.last() - back), granted.waiting(), granted.now());
        }
    }

    private static final class FreshOwners extends Remembering {
        FreshOwners(KvBackend real) {
            super(real);
        }

        @Override
        Acquisition answer(LeaseRequest request) {
            if (!grants.containsKey(request.owner())) {
                Acquisition first = ask(request);
                grants.put(request.owner(), first);
                return first;
            }
            return ask(owned(request, BackendContract.owner()));
        }
    }
}
