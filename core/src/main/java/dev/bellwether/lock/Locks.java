// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lock;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * Locks by name. Each method returns a light description; nothing is held before {@code acquire}. Thread-safe. Not for
 * implementation outside this library but in tests.
 */
public interface Locks {
    /** One holder. */
    LeaseLock exclusive(String name);

    /** Many holders, none while an exclusive one is: the other mode of the lock that {@link #exclusive} names. */
    LeaseLock shared(String name);

    /**
     * Admits while fewer than {@code permits} hold. All who use the name at one time must state the same number; a caller
     * with another one is refused by {@code RejectedException} for as long as anybody holds.
     */
    LeaseLock semaphore(String name, int permits);

    /**
     * All or none of several exclusive locks: one step where they share a partition, else in sorted order, giving back on
     * failure what was had. While it waits for one it may hold some that sort before it. The fence is the largest of theirs.
     */
    LeaseLock all(Collection<String> names);

    /** A standing candidacy for one leader. The name is not that of a lock. */
    Election.Builder election(String name);

    /**
     * Who holds the locks, semaphores and leaderships whose name begins so. Blocks for a few round trips; for people, not
     * for programs that decide by it.
     */
    List<Holder> holders(String prefix);

    /**
     * Refuses this holder any renewal: it is told at its next one, and out after one lease at the latest, so that there
     * are never two. False if the lease has passed on meanwhile. Blocks for a round trip or a few.
     */
    boolean breakLease(Holder seen);

    /**
     * One holder of one name.
     *
     * @param fence the first of the holder's fences: a process that hands a lock on among its own threads has several
     * @param owner label of the holding process, or its number where it has not yet told its label
     * @param held since when its process holds it
     * @param remaining until it ends unless it is renewed
     * @param waiting how many processes wait for the name
     */
    record Holder(String name, long fence, String owner, Duration held, Duration remaining, int waiting) {}
}
