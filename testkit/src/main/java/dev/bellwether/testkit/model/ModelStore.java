// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Capabilities;
import dev.bellwether.spi.Limits;
import dev.bellwether.spi.Power;
import java.util.EnumSet;
import java.util.concurrent.locks.ReentrantLock;

/** One state that several clients change, one request after the other. Thread-safe. */
public final class ModelStore {
    /** What every store over the model can do. */
    public static final Capabilities CAPABILITIES = new Capabilities(
            EnumSet.of(Power.CROSS_PARTITION, Power.ORDERED_SCAN, Power.SNAPSHOT_SCAN, Power.PUSHED_HINTS),
            new Limits(64 << 20, 256L << 20, 100_000, Commits.MEMORY));

    private final ReentrantLock lock = new ReentrantLock();
    private StoreState state = StoreState.empty();

    /** Nothing in it. */
    public ModelStore() {}

    /** One request by one client at one moment of this store's clock. */
    public <R> Step<R> step(long client, Request<R> request, long nowMicros) {
        lock.lock();
        try {
            return Model.advance(state, client, request, nowMicros);
        } finally {
            lock.unlock();
        }
    }

    /** What a backup taken now would hold. */
    public StoreState snapshot() {
        lock.lock();
        try {
            return state.copy();
        } finally {
            lock.unlock();
        }
    }

    /** Goes back to a backup, or with {@link StoreState#empty()} to nothing. */
    public void restore(StoreState backup) {
        lock.lock();
        try {
            state = backup.copy();
        } finally {
            lock.unlock();
        }
    }
}
