// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.RequestId;
import dev.bellwether.spi.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All mutations if every check holds, else nothing. */
final class Commits {
    /*
     * A commit looks first and writes then
     * ------------------------------------
     * Every check and every mutation is judged by the state before the commit, and every obstacle is reported. Only
     * when there is none does anything change. What is written is applied in order, except that enqueues come first:
     * so a duplicate is judged by what stood before, whatever else the commit does to the first message.
     */

    /** Longer would cost memory; shorter would break re-sending, which the engines end after half of it. */
    static final Duration MEMORY = Duration.ofSeconds(30);

    private Commits() {}

    static CommitReply commit(Moment moment, Commit commit) {
        CommitReply known = remembered(moment, commit.id());
        if (known != null) return known;
        List<Obstacle> obstacles = obstacles(moment, commit);
        if (!obstacles.isEmpty()) return new CommitReply.Conflict(obstacles, moment.time());
        Version version = nextVersion(moment, commit.mutations());
        List<Outcome> outcomes = apply(moment, commit.mutations(), version);
        CommitReply.Committed reply = new CommitReply.Committed(version, outcomes, moment.time());
        if (commit.id() != null) {
            moment.state().requests.put(commit.id(), new StoreState.Remembered(reply, moment.end(MEMORY)));
        }
        return reply;
    }

    private static @Nullable CommitReply remembered(Moment moment, @Nullable RequestId id) {
        StoreState.Remembered memory =
                id == null ? null : moment.state().requests.get(id);
        return memory == null || memory.until() <= moment.now() ? null : memory.reply();
    }

    private static List<Obstacle> obstacles(Moment moment, Commit commit) {
        List<Obstacle> obstacles = new ArrayList<>();
        int index = 0;
        for (Check check : commit.checks()) addTo(obstacles, failure(moment, index++, check));
        for (Mutation mutation : commit.mutations()) addTo(obstacles, obstacle(moment, index++, mutation));
        return obstacles;
    }

    private static void addTo(List<Obstacle> obstacles, @Nullable Obstacle obstacle) {
        if (obstacle != null) obstacles.add(obstacle);
    }

    private static @Nullable Obstacle failure(Moment moment, int index, Check check) {
        if (check instanceof Check.Is is) {
            boolean holds = Entries.look(moment, is.key()) instanceof KvEntry.Present present
                    && present.version().equals(is.version());
            return holds ? null : Entries.differs(moment, index, is.key(), is.orGet());
        }
        if (check instanceof Check.Vacant vacant) {
            boolean holds = Entries.value(moment, vacant.key()) == null;
            return holds ? null : Entries.differs(moment, index, vacant.key(), vacant.orGet());
        }
        if (check instanceof Check.Held held) {
            LeaseCell cell = moment.lease(held.lease());
            return cell.holdOf(held.owner()) != null
                    ? null
                    : new Obstacle.NotHeld(index, cell.state(held.lease(), moment));
        }
        Check.Current current = (Check.Current) check;
        QueueCell queue = moment.queue(current.receipt().queue());
        return queue.current(current.receipt()) != null ? null : queue.stale(index, current.receipt());
    }

    private static @Nullable Obstacle obstacle(Moment moment, int index, Mutation mutation) {
        if (mutation instanceof EntryMutation entry) return Entries.obstacle(moment, index, entry);
        if (mutation instanceof LeaseMutation lease) return LeaseChanges.obstacle(moment, index, lease);
        return QueueChanges.obstacle(moment, index, (QueueMutation) mutation);
    }

    private static Version nextVersion(Moment moment, List<Mutation> mutations) {
        long version = moment.tick();
        for (Mutation mutation : mutations) {
            if (mutation instanceof EntryMutation entry) {
                version = Math.max(version, Entries.version(moment, entry.key()).value() + 1);
            }
        }
        return new Version(version);
    }

    private static List<Outcome> apply(Moment moment, List<Mutation> mutations, Version version) {
        Outcome[] outcomes = new Outcome[mutations.size()];
        for (int i = 0; i < outcomes.length; i++) {
            if (mutations.get(i) instanceof QueueMutation.Enqueue enqueue) {
                outcomes[i] = Enqueuing.enqueue(moment, enqueue);
            }
        }
        for (int i = 0; i < outcomes.length; i++) {
            Mutation mutation = mutations.get(i);
            if (!(mutation instanceof QueueMutation.Enqueue)) outcomes[i] = apply(moment, mutation, version);
        }
        return Arrays.asList(outcomes);
    }

    private static Outcome apply(Moment moment, Mutation mutation, Version version) {
        if (mutation instanceof EntryMutation entry) return Entries.apply(moment, entry, version);
        if (mutation instanceof LeaseMutation lease) return LeaseChanges.apply(moment, lease);
        QueueChanges.apply(moment, (QueueMutation) mutation);
        return Outcome.DONE;
    }
}
