// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static dev.bellwether.testkit.contract.Altered.answers;
import static dev.bellwether.testkit.contract.Altered.replies;
import static dev.bellwether.testkit.contract.Altered.wishes;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Acquisition.Busy;
import dev.bellwether.spi.Acquisition.Granted;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Line;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Query;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Backends whose lines are unfair, lossy or stuck. */
final class LineBreaches {
    private static final Duration DAY = Duration.ofDays(1);

    static final List<Breach> ALL = List.of(
            Breach.of("keeps no line", wishes(r -> r.withLine(null)), Law.LINE, Law.HANDOVER),
            Breach.of("puts who asks again at the end", AsksAgainAtTheEnd::new, Law.LINE),
            Breach.of("lets the last in line go first", LastFirst::new, Law.LINE),
            Breach.of("tells every place as the first", answers(LineBreaches::first), Law.LINE),
            Breach.of(
                    "lets newcomers overtake for ever",
                    lines((r, l) -> line(l.ticket(), l.grant(), DAY)),
                    Law.PATIENCE),
            Breach.of(
                    "lets nobody overtake", lines((r, l) -> line(l.ticket(), l.grant(), Duration.ZERO)), Law.PATIENCE),
            Breach.of(
                    "takes a hand-over for an entry",
                    lines((r, l) -> line(l.ticket(), DAY, l.patience())),
                    Law.HANDOVER),
            Breach.of("confirms nothing", ConfirmsNothing::new, Law.HANDOVER),
            Breach.of("keeps the place of who left", replies(LineBreaches::back), Law.LEAVING),
            Breach.of("strands the line when the head leaves", StrandsTheLine::new, Law.LEAVING),
            Breach.of("waits for the dead", lines((r, l) -> line(DAY, l.grant(), l.patience())), Law.DEAD_HEADS),
            Breach.of("lets a place die though it is asked for", PlacesDie::new, Law.DEAD_HEADS),
            Breach.of("starves writers", lines(LineBreaches::starving), Law.WRITERS),
            Breach.of("admits one reader at a time", LineBreaches::oneReader, Law.WRITERS));

    private LineBreaches() {}

    private static Line line(Duration ticket, Duration grant, Duration patience) {
        return new Line(ticket, grant, patience);
    }

    private static UnaryOperator<KvBackend> lines(BiFunction<LeaseRequest, Line, Line> change) {
        return wishes(r -> {
            Line line = r.line();
            return line == null ? r : r.withLine(change.apply(r, line));
        });
    }

    private static Line starving(LeaseRequest request, Line line) {
        boolean writer = request.share().weight() > 1;
        return line(line.ticket(), line.grant(), writer ? DAY : line.patience());
    }

    private static KvBackend oneReader(KvBackend real) {
        return wishes(r -> r.share().capacity() > 1 && r.line() != null
                        ? r.withShare(new LeaseRequest.Share(
                                r.share().capacity(), r.share().capacity()))
                        : r)
                .apply(real);
    }

    private static Acquisition first(Altered backend, LeaseRequest request, Acquisition answer) {
        return answer instanceof Busy busy && busy.place() > 0
                ? new Busy(busy.holderToken(), busy.remaining(), 0, busy.now())
                : answer;
    }

    /** Whoever left is in line again at once. */
    private static CommitReply back(Altered backend, Commit commit, CommitReply reply) {
        for (Mutation mutation : commit.mutations()) {
            if (!(mutation instanceof Leave leave)) continue;
            LeaseRequest again = LeaseRequest.of(leave.lease(), leave.owner(), DAY);
            Acquisition unused = Altered.now(backend.real.acquire(again.withLine(line(DAY, DAY, Duration.ZERO))));
        }
        return reply;
    }

    /** Remembers who waits, so as to treat them wrongly. */
    private abstract static class Watching extends Altered {
        final Map<Owner, LeaseRequest> waiting = new LinkedHashMap<>();

        Watching(KvBackend real) {
            super(real);
        }

        void before(LeaseRequest request) {}

        @Override
        public CompletionStage<Acquisition> acquire(LeaseRequest request) {
            before(request);
            return real.acquire(request).thenApply(answer -> {
                if (answer instanceof Busy && request.line() != null) waiting.put(request.owner(), request);
                else waiting.remove(request.owner());
                return answer;
            });
        }

        LeaseState state(LeaseName lease) {
            return now(real.inspect(new Inspection.Holding(lease)));
        }
    }

    private static final class AsksAgainAtTheEnd extends Watching {
        AsksAgainAtTheEnd(KvBackend real) {
            super(real);
        }

        @Override
        void before(LeaseRequest request) {
            if (waiting.containsKey(request.owner())
                    && state(request.lease()).holds().stream()
                            .noneMatch(h -> h.owner().equals(request.owner()))) {
                act(new Leave(request.lease(), request.owner()));
            }
        }
    }

    /** A newcomer goes before all that wait. */
    private static final class LastFirst extends Watching {
        LastFirst(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<Acquisition> acquire(LeaseRequest request) {
            if (request.line() == null || waiting.containsKey(request.owner())) return super.acquire(request);
            List<LeaseRequest> others = List.copyOf(waiting.values());
            for (LeaseRequest other : others) act(new Leave(other.lease(), other.owner()));
            Acquisition answer = now(super.acquire(request));
            for (LeaseRequest other : others) {
                Acquisition unused = now(super.acquire(other));
            }
            return CompletableFuture.completedStage(answer);
        }
    }

    /** Who was handed a lease and asks again is told to wait. */
    private static final class ConfirmsNothing extends Watching {
        ConfirmsNothing(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<Acquisition> acquire(LeaseRequest request) {
            for (LeaseState.Hold hold : state(request.lease()).holds()) {
                if (hold.owner().equals(request.owner()) && !hold.confirmed()) {
                    return real.read(new Query.Keys(
                                    List.of(KvKey.of(request.lease().name())), false))
                            .thenApply(reading -> new Granted(hold.tokens(), 0, reading.now()));
                }
            }
            return super.acquire(request);
        }
    }

    /** Who leaves with the lease in hand keeps it. */
    private static final class StrandsTheLine extends Watching {
        StrandsTheLine(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<CommitReply> commit(Commit commit) {
            Set<Mutation> stranding = new HashSet<>();
            for (Mutation mutation : commit.mutations()) {
                if (mutation instanceof Leave leave
                        && state(leave.lease()).holds().stream()
                                .anyMatch(hold -> hold.owner().equals(leave.owner()) && !hold.confirmed())) {
                    stranding.add(mutation);
                }
            }
            if (stranding.isEmpty()) return real.commit(commit);
            return CompletableFuture.completedStage(without(commit, stranding::contains, mutation -> Outcome.DONE));
        }
    }

    /** Asking again answers from memory. */
    private static final class PlacesDie extends Altered {
        private final Map<Owner, Acquisition> known = new LinkedHashMap<>();

        PlacesDie(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<Acquisition> acquire(LeaseRequest request) {
            Acquisition before = known.get(request.owner());
            if (before instanceof Busy && request.line() != null) {
                return CompletableFuture.completedStage(before);
            }
            Acquisition answer = now(real.acquire(request));
            known.put(request.owner(), answer);
            return CompletableFuture.completedStage(answer);
        }
    }
}
