// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.engine.Engine;
import dev.bellwether.time.Backoff;
import dev.bellwether.time.Deadline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The pauses of one who lost a race and tries again until a deadline. For one thread at a time. */
final class Conflicts {
    /*
     * The first try after a conflict comes at once: who made the conflict is usually done. Then the pauses grow, at random
     * between half and full, so that those who met once do not meet again.
     */
    private static final Duration FIRST = Duration.ofMillis(2);
    private static final Duration LONGEST = Duration.ofMillis(200);

    private final Engine engine;
    private final Deadline deadline;
    private final Backoff pauses;
    private int tries = 1;

    Conflicts(Engine engine, Deadline deadline) {
        this.engine = engine;
        this.deadline = deadline;
        this.pauses = Backoff.exponential(FIRST, LONGEST)
                .jittered(0.5, () -> engine.timer().random());
    }

    /** How often it was tried. */
    int tries() {
        return tries;
    }

    Deadline deadline() {
        return deadline;
    }

    /** Completes with true when it is time to try again, with false when there is no time left. */
    CompletableFuture<Boolean> next() {
        Duration pause = tries == 1 ? Duration.ZERO : pauses.after(tries - 1);
        if (deadline.remaining().compareTo(pause) <= 0) return CompletableFuture.completedFuture(false);
        tries++;
        if (pause.isZero()) return CompletableFuture.completedFuture(true);
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        engine.timer().after(pause, () -> over.complete(true));
        return over;
    }

    /** Blocks until then. */
    boolean awaitNext() {
        return Step.join(engine, next(), deadline, false);
    }
}
