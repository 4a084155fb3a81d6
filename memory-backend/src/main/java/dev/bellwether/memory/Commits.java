// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.error.RejectedException;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** All or nothing. Needs the store's lock, which is also what makes a commit across partitions one step. */
final class Commits {
    /*
     * Everything is asked before anything is written: each check and mutation names what stands in its way, then the
     * bounds are asked, and only then the mutations run, none of which can fail any more. As no two of them share a
     * subject, their order does not matter.
     */
    private final Entries entries;
    private final EntryChanges entryChanges;
    private final Leases leases;
    private final Queues queues;
    private final RequestMemory memory;
    private final Expirations expirations;
    private final Bounds bounds;

    Commits(
            Entries entries,
            Leases leases,
            Queues queues,
            RequestMemory memory,
            Expirations expirations,
            Bounds bounds) {
        this.entries = entries;
        this.entryChanges = new EntryChanges(entries);
        this.leases = leases;
        this.queues = queues;
        this.memory = memory;
        this.expirations = expirations;
        this.bounds = bounds;
    }

    /** @throws RejectedException if the store is full; nothing changed */
    CommitReply commit(Commit commit, Moment moment) {
        CommitReply known = memory.recall(commit.id(), moment);
        if (known != null) return known;
        List<Obstacle> obstacles = obstacles(commit, moment);
        if (!obstacles.isEmpty()) return new CommitReply.Conflict(obstacles, moment.time());
        if (!bounds.unlimited()) admit(commit, moment);
        CommitReply reply = apply(commit, moment);
        memory.remember(commit.id(), reply, moment);
        return reply;
    }

    /** @throws RejectedException if so much more does not fit, even after what has ended is gone */
    void admit(long moreEntries, long moreBytes, Moment moment) {
        while (!bounds.admit(moreEntries, moreBytes)) {
            if (!expirations.sweep(moment)) throw bounds.refusal(moreEntries, moreBytes);
        }
    }

    private List<Obstacle> obstacles(Commit commit, Moment moment) {
        List<Obstacle> found = List.of();
        int index = 0;
        for (Check check : commit.checks()) found = with(found, obstacle(index++, check, moment));
        for (Mutation mutation : commit.mutations()) found = with(found, obstacle(index++, mutation, moment));
        return found;
    }

    private static List<Obstacle> with(List<Obstacle> found, @Nullable Obstacle obstacle) {
        if (obstacle == null) return found;
        List<Obstacle> more = found.isEmpty() ? new ArrayList<>() : found;
        more.add(obstacle);
        return more;
    }

    private CommitReply apply(Commit commit, Moment moment) {
        long version = moment.tick();
        List<Mutation> mutations = commit.mutations();
        if (mutations.size() == 1) return committed(version, List.of(apply(mutations.get(0), version, moment)), moment);
        List<Outcome> outcomes = new ArrayList<>(mutations.size());
        for (Mutation mutation : mutations) outcomes.add(apply(mutation, version, moment));
        return committed(version, outcomes, moment);
    }

    private static CommitReply committed(long version, List<Outcome> outcomes, Moment moment) {
        return new CommitReply.Committed(new Version(version), outcomes, moment.time());
    }

    private Outcome apply(Mutation mutation, long version, Moment moment) {
        if (mutation instanceof EntryMutation change) return entryChanges.apply(change, version, moment);
        if (mutation instanceof LeaseMutation change) return leases.apply(change, moment);
        return queues.apply((QueueMutation) mutation, moment);
    }

    private @Nullable Obstacle obstacle(int index, Mutation mutation, Moment moment) {
        if (mutation instanceof EntryMutation change) return entryChanges.obstacle(index, change, moment);
        if (mutation instanceof LeaseMutation change) return leases.obstacle(index, change, moment);
        return queues.obstacle(index, (QueueMutation) mutation, moment);
    }

    private @Nullable Obstacle obstacle(int index, Check check, Moment moment) {
        if (check instanceof Check.Is is) return differs(index, is, moment);
        if (check instanceof Check.Vacant vacant) {
            KvEntry.Present present = entries.value(vacant.key(), moment.millis());
            return present == null ? null : differs(index, present.key(), present, vacant.orGet());
        }
        if (check instanceof Check.Held held) {
            boolean isHeld = leases.isHeld(held.lease(), held.owner(), moment);
            return isHeld ? null : new Obstacle.NotHeld(index, leases.state(held.lease(), moment));
        }
        return queues.obstacle(index, ((Check.Current) check).receipt());
    }

    private @Nullable Obstacle differs(int index, Check.Is is, Moment moment) {
        KvEntry entry = entries.look(is.key(), moment.millis());
        boolean same = entry instanceof KvEntry.Present
                && entry.version().value() == is.version().value();
        return same ? null : differs(index, is.key(), entry, is.orGet());
    }

    private static Obstacle differs(int index, KvKey key, KvEntry entry, boolean orGet) {
        if (entry instanceof KvEntry.Present present) {
            return new Obstacle.EntryDiffers(
                    index,
                    key,
                    present.version(),
                    true,
                    present.expiresAtMillis(),
                    orGet ? Optional.of(present.value()) : Optional.empty());
        }
        return new Obstacle.EntryDiffers(index, key, entry.version(), false, OptionalLong.empty(), Optional.empty());
    }

    private void admit(Commit commit, Moment moment) {
        long moreEntries = newEntries(commit);
        long moreBytes = newBytes(commit);
        while (!bounds.admit(moreEntries, moreBytes)) {
            if (!expirations.sweep(moment)) throw bounds.refusal(moreEntries, moreBytes);
            moreEntries = newEntries(commit);
            moreBytes = newBytes(commit);
        }
    }

    private long newEntries(Commit commit) {
        return commit.mutations().stream().mapToLong(this::newEntries).sum();
    }

    private long newBytes(Commit commit) {
        return commit.mutations().stream().mapToLong(this::newBytes).sum();
    }

    private long newEntries(Mutation mutation) {
        if (mutation instanceof QueueMutation.Enqueue enqueue)
            return enqueue.messages().size();
        if (mutation instanceof LeaseMutation.Take take) return leases.isNew(take.lease()) ? 1 : 0;
        if (!(mutation instanceof EntryMutation change)) return 0;
        boolean stands = entries.stands(change.key());
        if (isRemoval(change)) return stands ? -1 : 0;
        return stands || change instanceof EntryMutation.Touch ? 0 : 1;
    }

    private long newBytes(Mutation mutation) {
        if (mutation instanceof QueueMutation.Enqueue enqueue) return payloads(enqueue);
        if (!(mutation instanceof EntryMutation change)) return 0;
        long old = entries.bytes(change.key());
        if (isRemoval(change)) return -old;
        if (change instanceof EntryMutation.Put put) {
            return (long) put.key().name().length() + put.value().length() - old;
        }
        return 0;
    }

    private static boolean isRemoval(EntryMutation mutation) {
        return mutation instanceof EntryMutation.Delete delete
                && delete.remember().isZero();
    }

    private static long payloads(QueueMutation.Enqueue enqueue) {
        long bytes = 0;
        for (Message message : enqueue.messages()) bytes += message.payload().length();
        return bytes;
    }
}
