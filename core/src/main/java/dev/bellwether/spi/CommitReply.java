// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.util.List;

/** How a commit ended. */
public sealed interface CommitReply {
    StoreTime now();

    /** It happened: the version that every changed entry now has, and an outcome for each mutation, in order. */
    record Committed(Version version, List<Outcome> outcomes, StoreTime now) implements CommitReply {
        public Committed {
            outcomes = List.copyOf(outcomes);
        }
    }

    /** Nothing happened: everything that stood in the way, in order of {@link Obstacle#index()}. */
    record Conflict(List<Obstacle> obstacles, StoreTime now) implements CommitReply {
        public Conflict {
            obstacles = List.copyOf(obstacles);
            if (obstacles.isEmpty()) throw new IllegalArgumentException("a conflict without an obstacle");
        }
    }
}
