// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * One attempt at one message. Thread-safe; asking is local and free. The three decisions take effect when the handler
 * returns normally; the last one counts, and a handler that throws has decided otherwise.
 */
public interface Delivery<T> {
    String id();

    T message();

    /** 1 at the first attempt; attempts that failed and attempts whose process died count, those released do not. */
    int attempt();

    /** When it was enqueued, by the clock of the process that did. */
    Instant enqueuedAt();

    Map<String, String> headers();

    /** How long it is certainly still this worker's; a worker that can reach the store extends it all the time. */
    Duration remaining();

    /** Whether it is still this worker's: not lost, not settled, not out of time. */
    boolean isCurrent();

    /** @throws dev.bellwether.error.LeaseLostException if it is not current, with the reason */
    void ensureCurrent();

    /** Another attempt after this delay, for a source that said when to come back. Counts as a failed attempt. */
    void retryAfter(Duration delay);

    /** Straight to the dead letters. */
    void bury(String reason);

    /** Back to the queue as if never taken. */
    void release();
}
