// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Engine;
import dev.bellwether.engine.Waiting;
import dev.bellwether.lock.Locks.Holder;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Who holds what, and the end of it by force. Thread-safe; blocks. */
final class Administration {
    private static final int PAGE = 256;

    /** One page, or one break, has this long. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private record Seen(String name, LeaseState state) {}

    private final Engine engine;
    private final Presence presence;

    Administration(Engine engine, Presence presence) {
        this.engine = engine;
        this.presence = presence;
    }

    List<Holder> holders(String prefix) {
        List<Seen> seen = new ArrayList<>();
        for (Kind kind : Kind.values()) collect(kind, prefix, seen);
        Set<Long> processes = seen.stream()
                .flatMap(one -> one.state().holds().stream())
                .map(hold -> hold.owner().process())
                .collect(Collectors.toSet());
        Map<Long, String> labels = join(presence.labels(processes));
        List<Holder> holders = new ArrayList<>();
        for (Seen one : seen) {
            one.state().holds().forEach(hold -> holders.add(holder(one, hold, labels)));
        }
        return List.copyOf(holders);
    }

    private static Holder holder(Seen seen, LeaseState.Hold hold, Map<Long, String> labels) {
        return new Holder(
                seen.name(),
                hold.tokens().first(),
                labels.getOrDefault(hold.owner().process(), ""),
                hold.held(),
                hold.remaining(),
                seen.state().waiting());
    }

    private void collect(Kind kind, String prefix, List<Seen> into) {
        Bytes common = kind.prefix(engine);
        Bytes begin = common.plus(Bytes.utf8(prefix));
        LeaseName after = null;
        List<LeaseState> page;
        do {
            page = page(begin, after);
            for (LeaseState state : page) {
                after = state.lease();
                // A view sees what it locks itself, not what others lock under the same names elsewhere.
                if (!engine.lease(after.name()).equals(after)) continue;
                String name = after.name().utf8().substring(common.utf8().length());
                into.add(new Seen(name, state));
            }
        } while (page.size() == PAGE);
    }

    private List<LeaseState> page(Bytes begin, @Nullable LeaseName after) {
        return join(engine.send(
                "list of leases", limit(), () -> engine.backend().inspect(new Inspection.Leases(begin, PAGE, after))));
    }

    boolean breakLease(Holder seen) {
        for (Kind kind : Kind.values()) {
            Commit commit = Commit.of(new Break(kind.lease(engine, seen.name()), seen.fence(), false));
            CommitReply reply = join(engine.send(
                    "break of " + seen.name(), limit(), () -> engine.backend().commit(commit)));
            if (reply instanceof CommitReply.Committed) return true;
        }
        return false;
    }

    /** Label of the present holder. */
    Optional<String> holder(LeaseName lease) {
        LeaseState state =
                join(engine.send("leader", limit(), () -> engine.backend().inspect(new Inspection.Holding(lease))));
        if (state.holds().isEmpty()) return Optional.empty();
        long process = state.holds().get(0).owner().process();
        return Optional.ofNullable(join(presence.labels(Set.of(process))).get(process));
    }

    private Deadline limit() {
        return engine.within(LIMIT);
    }

    private <T> T join(CompletableFuture<T> future) {
        return Waiting.join(future, engine.within(LIMIT.plus(LIMIT)));
    }
}
