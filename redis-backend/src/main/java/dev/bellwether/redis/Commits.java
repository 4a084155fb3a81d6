// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Receipt;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.spi.Tokens;
import dev.bellwether.spi.Version;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Sends commits, the hot shapes in their short form, and reads what came of them. */
final class Commits {
    private final Runner runner;
    private final Crowd contended;
    private final Duration memory;

    Commits(Runner runner, Crowd contended, Duration memory) {
        this.runner = runner;
        this.contended = contended;
        this.memory = memory;
    }

    CompletionStage<CommitReply> commit(Commit commit, Partition partition) {
        Request hot = hot(commit);
        if (hot == null) return general(commit, partition);
        CompletableFuture<CommitReply> result = new CompletableFuture<>();
        runner.run(hot, false, "a commit", false, row -> row).whenComplete((row, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (row.wantsMore()) {
                Runner.pass(general(commit, partition), result);
            } else {
                long now = row.number(0);
                Version version = new Version(row.size() > 1 ? row.number(1) : now);
                List<Outcome> done = commit.mutations().stream()
                        .map(mutation -> Outcome.DONE)
                        .toList();
                result.complete(new CommitReply.Committed(version, done, StoreTime.exact(now)));
            }
        });
        return result;
    }

    /** The short form of a release, or of a fill under a lease; null for all else. */
    private @Nullable Request hot(Commit commit) {
        if (commit.id() != null
                || !commit.checks().isEmpty()
                || commit.mutations().size() > 2) return null;
        LeaseMutation.Release release = null;
        EntryMutation.Put put = null;
        for (Mutation mutation : commit.mutations()) {
            if (mutation instanceof LeaseMutation.Release given) release = given;
            else if (mutation instanceof EntryMutation.Put given) put = given;
        }
        boolean both = commit.mutations().size() == 2;
        if (release == null || both != (put != null) || !release.quiet().equals(Quiet.NONE)) return null;
        LeaseName lease = release.lease();
        if (contended.contains(lease)) return null;
        if (put == null) {
            return new Request(Script.RELEASE)
                    .key(Keys.of(Keys.HOLDS, lease))
                    .key(Keys.of(Keys.LINE, lease))
                    .arg(Keys.owner(release.owner()));
        }
        Request fill = new Request(Script.FILL)
                .key(Keys.of(Keys.ENTRY, put.key()))
                .key(Keys.of(Keys.HOLDS, lease))
                .key(Keys.of(Keys.LINE, lease))
                .arg(Keys.owner(release.owner()));
        Entries.addExpiry(fill, put.expiry());
        return fill.arg(CommitRequest.raw(put.value()));
    }

    private CompletionStage<CommitReply> general(Commit commit, Partition partition) {
        CommitRequest request = new CommitRequest(commit, partition);
        return runner.run(request.encode(memory), false, "a commit", false, row -> decode(commit, request, row));
    }

    private CommitReply decode(Commit commit, CommitRequest request, Runner.Row row) {
        StoreTime now = StoreTime.exact(row.number(0));
        if (row.text(1).equals("X")) {
            List<Obstacle> obstacles = new ArrayList<>(row.size() - 2);
            for (int i = 2; i < row.size(); i++) obstacles.add(obstacle(request, row.row(i)));
            return new CommitReply.Conflict(obstacles, now);
        }
        List<Outcome> outcomes = new ArrayList<>(commit.mutations().size());
        for (int i = 0; i < commit.mutations().size(); i++) {
            outcomes.add(outcome(commit.mutations().get(i), row.row(i + 3)));
        }
        return new CommitReply.Committed(new Version(row.number(2)), outcomes, now);
    }

    private Outcome outcome(Mutation mutation, Runner.Row row) {
        if (mutation instanceof LeaseMutation.Release && row.number(1) == 0) contended.remove(mutation.place());
        return switch (row.text(0)) {
            case "D" -> new Outcome.Deleted(row.number(1) == 1);
            case "C" -> new Outcome.Counted(ByteBuffer.wrap(row.bytes(1)).getLong());
            case "T" -> new Outcome.Taken(new Tokens(row.number(1), row.number(2)));
            case "N" -> new Outcome.Renewed(row.integer(1));
            case "E" -> enqueued(row.row(1));
            default -> Outcome.DONE;
        };
    }

    private static Outcome enqueued(Runner.Row ids) {
        List<MessageId> accepted = new ArrayList<>(ids.size());
        Set<Integer> duplicates = new HashSet<>();
        for (int i = 0; i < ids.size(); i++) {
            String id = ids.text(i);
            if (id.startsWith("=")) duplicates.add(i);
            accepted.add(new MessageId(id.startsWith("=") ? id.substring(1) : id));
        }
        return new Outcome.Enqueued(accepted, duplicates);
    }

    private static Obstacle obstacle(CommitRequest request, Runner.Row row) {
        int index = row.integer(0);
        return switch (row.text(1)) {
            case "D" ->
                new Obstacle.EntryDiffers(
                        index,
                        request.entry(row.integer(2)),
                        new Version(row.number(3)),
                        row.number(4) == 1,
                        Entries.expiry(row.number(5)),
                        row.size() > 6 ? Optional.of(Bytes.wrap(row.bytes(6))) : Optional.empty());
            case "N" -> new Obstacle.NotHeld(index, Leases.state(request.lease(row.integer(2)), row.row(3)));
            case "T" -> new Obstacle.LeaseTaken(index, Leases.state(request.lease(row.integer(2)), row.row(3)));
            case "S" ->
                new Obstacle.Stale(
                        index,
                        new Receipt(request.queue(row.integer(2)), new MessageId(row.text(3)), row.integer(4)),
                        state(row.text(5)));
            case "F" -> new Obstacle.QueueFull(index, request.queue(row.integer(2)), row.number(3));
            default -> new Obstacle.Unfit(index, row.text(2));
        };
    }

    static MessageState state(String letter) {
        return switch (letter) {
            case "R" -> MessageState.READY;
            case "D" -> MessageState.DELAYED;
            case "G" -> MessageState.GROUPED;
            case "X" -> MessageState.RUNNING;
            case "K" -> MessageState.DEAD;
            default -> MessageState.GONE;
        };
    }
}
