// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.store;

import java.util.List;

/** How one try to commit ended. */
public sealed interface CommitResult {
    boolean isCommitted();

    /** It happened: the version that every changed entry now has; 0 if there was nothing to commit. */
    record Committed(long version) implements CommitResult {
        @Override
        public boolean isCommitted() {
            return true;
        }
    }

    /** Nothing happened; here is everything that stood in the way. */
    record Conflict(List<Obstacle> obstacles) implements CommitResult {
        public Conflict {
            obstacles = List.copyOf(obstacles);
        }

        @Override
        public boolean isCommitted() {
            return false;
        }
    }

    /** One thing that stood in the way. */
    sealed interface Obstacle {}

    /** An entry is not as the transaction insisted: this is what stands there. */
    record Changed(Entry<?, ?> now) implements Obstacle {}

    /** A required lease is not held any more. */
    record LeaseLost(String name) implements Obstacle {}

    /** A delivery was settled, or a newer one has replaced it. */
    record Superseded(String deliveryId) implements Obstacle {}
}
