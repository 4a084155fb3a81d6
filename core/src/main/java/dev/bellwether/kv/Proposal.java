// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.engine.CommitPart;
import dev.bellwether.engine.CommitPart.Ending;
import dev.bellwether.engine.CommitPart.Kind;
import dev.bellwether.engine.Engine;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.LeaseLostException;
import dev.bellwether.error.LeaseLostException.Reason;
import dev.bellwether.error.RejectedException;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Place;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.spi.Version;
import dev.bellwether.store.CommitResult;
import dev.bellwether.store.Entry;
import dev.bellwether.time.Deadline;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A transaction put together, to be sent once; afterwards it explains the store's answer. */
record Proposal(
        Engine engine,
        List<StoredEntry<?, ?>> entries,
        Map<KvKey, String> names,
        Map<KvKey, Change> changes,
        List<Draft.Addition> additions,
        List<CommitPart> parts) {
    /** What stands at one index of the commit, so that an obstacle can be told in the user's words. */
    private record Subject(
            @Nullable StoredEntry<?, ?> entry, @Nullable CommitPart part, String name) {}

    static Place place(Check check) {
        if (check instanceof Check.Is is) return is.key();
        if (check instanceof Check.Vacant vacant) return vacant.key();
        if (check instanceof Check.Held held) return held.lease();
        if (check instanceof Check.Current current) return current.receipt().queue();
        throw new AssertionError(check);
    }

    /** What it has read, without what it would do. */
    Proposal readsAlone() {
        return new Proposal(engine, entries, names, Map.of(), List.of(), List.of());
    }

    private List<Subject> checked() {
        List<Subject> subjects = new ArrayList<>();
        for (StoredEntry<?, ?> entry : entries) subjects.add(new Subject(entry, null, nameOf(entry)));
        for (CommitPart part : parts) {
            for (Check unused : part.checks()) subjects.add(new Subject(null, part, part.partName()));
        }
        return subjects;
    }

    private static String nameOf(StoredEntry<?, ?> entry) {
        return entry.store().name() + "[" + entry.key() + "]";
    }

    private List<Subject> changed() {
        List<Subject> subjects = new ArrayList<>();
        for (KvKey key : changes.keySet()) subjects.add(new Subject(null, null, names.getOrDefault(key, "an entry")));
        for (Draft.Addition addition : additions) {
            subjects.add(new Subject(null, null, "queue " + addition.queue().queueName()));
        }
        for (CommitPart part : parts) {
            for (Mutation unused : part.mutations()) subjects.add(new Subject(null, part, part.partName()));
        }
        return subjects;
    }

    private List<Check> checks(boolean withValues) {
        List<Check> checks = new ArrayList<>();
        for (StoredEntry<?, ?> entry : entries) checks.add(entry.check(withValues));
        for (CommitPart part : parts) checks.addAll(part.checks());
        return checks;
    }

    private List<Mutation> mutations() {
        List<Mutation> mutations = Draft.mutations(changes);
        for (Draft.Addition addition : additions) mutations.add(addition.enqueue());
        for (CommitPart part : parts) mutations.addAll(part.mutations());
        return mutations;
    }

    /** Sends it, and tells all parts how that ended. */
    CompletableFuture<CommitReply> send(Deadline deadline, boolean withValues) {
        List<Check> checks = checks(withValues);
        List<Mutation> mutations = mutations();
        if (mutations.isEmpty() && checks.isEmpty()) {
            return CompletableFuture.completedFuture(
                    new CommitReply.Committed(Version.NONE, List.of(), StoreTime.exact(0)));
        }
        begin();
        Commit commit = new Commit(engine.newRequestId(), checks, mutations);
        String what = "commit of a transaction";
        CompletableFuture<CommitReply> answer = mutations.isEmpty()
                ? engine.look(what, deadline, () -> engine.backend().commit(commit))
                : engine.send(what, deadline, () -> engine.backend().commit(commit));
        answer.whenComplete((reply, failure) -> ended(ending(reply, failure)));
        return answer;
    }

    private void begin() {
        List<CommitPart> begun = new ArrayList<>();
        try {
            for (CommitPart part : parts) {
                part.begin();
                begun.add(part);
            }
        } catch (RuntimeException lost) {
            begun.forEach(part -> part.ended(Ending.REFUSED));
            throw lost;
        }
    }

    private static Ending ending(@Nullable CommitReply reply, @Nullable Throwable failure) {
        if (failure == null) return reply instanceof CommitReply.Committed ? Ending.COMMITTED : Ending.REFUSED;
        Throwable cause = Step.unwrapped(failure);
        boolean certain = cause instanceof IllegalArgumentException
                || (cause instanceof BellwetherException ours && ours.nothingHappened());
        return certain ? Ending.REFUSED : Ending.UNKNOWN;
    }

    private void ended(Ending ending) {
        parts.forEach(part -> part.ended(ending));
        if (ending == Ending.COMMITTED) {
            additions.forEach(addition ->
                    addition.queue().enqueued(addition.enqueue().messages().size()));
        }
    }

    private Subject subject(Obstacle obstacle) {
        List<Subject> all = checked();
        all.addAll(changed());
        return all.get(obstacle.index());
    }

    /** The names of the entries that are not as insisted. */
    Set<String> contended(CommitReply.Conflict conflict) {
        Set<String> found = new LinkedHashSet<>();
        for (Obstacle obstacle : conflict.obstacles()) {
            if (obstacle instanceof Obstacle.EntryDiffers)
                found.add(subject(obstacle).name());
        }
        return found;
    }

    /** The loss of a lease or a delivery, which no rerun cures. */
    Optional<BellwetherException> loss(CommitReply.Conflict conflict) {
        return conflict.obstacles().stream()
                .map(this::lost)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private Optional<BellwetherException> lost(Obstacle obstacle) {
        CommitPart part = subject(obstacle).part();
        if (part == null) return Optional.empty();
        String message = part.partKind() == Kind.LEASE
                ? "lease " + part.partName() + " is not held any more"
                : "the delivery of message " + part.partName() + " was settled or replaced by a newer one";
        return Optional.of(new LeaseLostException(message + "; nothing was committed", reason(obstacle), null));
    }

    private static Reason reason(Obstacle obstacle) {
        if (obstacle instanceof Obstacle.NotHeld notHeld) {
            return notHeld.now().holds().isEmpty() ? Reason.EXPIRED : Reason.SUPERSEDED;
        }
        return Reason.SUPERSEDED;
    }

    /** A full queue or an unfit entry: no rerun helps, and it is no {@link CommitResult.Obstacle}. */
    private Optional<BellwetherException> rejection(CommitReply.Conflict conflict) {
        for (Obstacle obstacle : conflict.obstacles()) {
            String name = subject(obstacle).name();
            if (obstacle instanceof Obstacle.QueueFull full) {
                return Optional.of(new RejectedException(
                        name + " is at its bound, with room for " + full.room() + " more; nothing was committed",
                        null));
            }
            if (obstacle instanceof Obstacle.Unfit unfit && subject(obstacle).part() == null) {
                return Optional.of(
                        new RejectedException(name + ": " + unfit.reason() + "; nothing was committed", null));
            }
        }
        return Optional.empty();
    }

    /** @throws RejectedException as {@link #rejection}, if nothing else stood in the way */
    CommitResult result(CommitReply reply) {
        if (reply instanceof CommitReply.Committed committed) {
            return new CommitResult.Committed(committed.version().value());
        }
        CommitReply.Conflict conflict = (CommitReply.Conflict) reply;
        List<CommitResult.Obstacle> told = conflict.obstacles().stream()
                .map(this::told)
                .flatMap(Optional::stream)
                .toList();
        if (told.isEmpty()) throw rejected(conflict);
        return new CommitResult.Conflict(told);
    }

    BellwetherException rejected(CommitReply.Conflict conflict) {
        return rejection(conflict)
                .orElseGet(
                        () -> new RejectedException("the store refused a transaction: " + conflict.obstacles(), null));
    }

    private Optional<CommitResult.Obstacle> told(Obstacle obstacle) {
        Subject subject = subject(obstacle);
        if (obstacle instanceof Obstacle.EntryDiffers differs && subject.entry() != null) {
            return Optional.of(new CommitResult.Changed(now(subject.entry(), differs)));
        }
        CommitPart part = subject.part();
        if (part == null) return Optional.empty();
        return Optional.of(
                part.partKind() == Kind.LEASE
                        ? new CommitResult.LeaseLost(part.partName())
                        : new CommitResult.Superseded(part.partName()));
    }

    private static <K, V> Entry<K, V> now(StoredEntry<K, V> seen, Obstacle.EntryDiffers differs) {
        KvEntry entry = differs.present() && differs.value().isPresent()
                ? new KvEntry.Present(
                        differs.key(), differs.version(), differs.value().get(), differs.expiresAtMillis())
                : new KvEntry.Absent(differs.key(), differs.version());
        return StoredEntry.of(seen.store(), seen.key(), entry);
    }
}
