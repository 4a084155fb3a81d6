// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lock;

import dev.bellwether.error.LeaseLostException;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A name held until a moment that the store decides. Owned by whoever has this object, not by a thread. Thread-safe.
 *
 * <p>It renews itself until it is released. What the lock protects is safe from a late holder only if it compares the
 * {@link #fence()}: nothing else can stop a write that a paused process has already sent.
 */
public interface Lease extends AutoCloseable {
    String name();

    /** Larger than that of every earlier holder; give it to whatever the lock protects. */
    long fence();

    /** What certainly remains, by a clock that never jumps. Zero means lost or released. Costs nothing to ask. */
    Duration remaining();

    boolean isHeld();

    /**
     * Costs nothing.
     *
     * @throws LeaseLostException with the reason, if it was lost
     * @throws IllegalStateException if its holder has released it
     */
    void ensureHeld();

    /**
     * The reaction is called once, on the executor, before the store can grant the name to another; at once if already
     * lost; never after a release.
     */
    Lease onLost(Consumer<? super LeaseLostException> reaction);

    /**
     * Asks for a new full lease; false if lost for good. Blocks for about one request.
     *
     * @throws dev.bellwether.error.OutcomeUnknownException if no answer came; the old end stands
     * @throws dev.bellwether.error.BackendUnavailableException the old end stands
     */
    boolean renew();

    /**
     * True if it was held up to now. Idempotent: a second call answers as the first. Works on an interrupted thread and
     * keeps its flag.
     *
     * @throws dev.bellwether.error.OutcomeUnknownException if no answer came in about two requests; it is sent on in the
     *     background, and the store frees the name when the lease ends
     */
    boolean release();

    /** Releases if still ours; otherwise does nothing. Throws nothing, never harms the next holder. */
    @Override
    void close();
}
