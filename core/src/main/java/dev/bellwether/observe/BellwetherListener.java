// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.observe;

import java.time.Duration;

/**
 * Told what happens, off the hot path. Every method does nothing unless overridden. Called on whatever thread the thing
 * happened on, so it must neither block nor call back; exceptions are logged and dropped.
 */
public interface BellwetherListener {
    default void onGet(Get event) {}

    default void onLoad(Load event) {}

    default void onAcquire(Acquire event) {}

    default void onRelease(Release event) {}

    default void onEnqueue(Enqueue event) {}

    default void onSettle(Settle event) {}

    default void onRequest(Request event) {}

    default void onDoubt(String reason) {}

    /** Where the answer of a memoizer came from. */
    enum Source {
        NEAR,
        STORE,
        STALE,
        LED,
        FOLLOWED,
        NOTHING
    }

    record Get(String memoizer, Source source, Duration took) {}

    record Load(String memoizer, boolean succeeded, boolean stored, Duration took) {}

    record Acquire(String lock, boolean granted, Duration waited) {}

    record Release(String lock, boolean lost, Duration held) {}

    record Enqueue(String queue, int messages) {}

    /** How one delivery ended. */
    enum Settlement {
        DONE,
        RETRY,
        DEAD,
        RELEASED,
        SUPERSEDED
    }

    record Settle(String queue, Settlement how, int attempt, Duration waited, Duration ran) {}

    record Request(String verb, boolean succeeded, Duration took) {}
}
