// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.error.LeaseLostException;
import dev.bellwether.lock.LeaseLock.Call;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** User code that runs under a lease. */
final class Section {
    private Section() {}

    static <T, X extends Exception> T call(BoundLease lease, LockOptions options, Call<T, X> body) throws X {
        Interruption interruption = options.interruptOnLoss() ? new Interruption(lease) : null;
        T result;
        try {
            result = body.call(lease);
        } catch (Throwable failure) {
            if (interruption != null) interruption.end();
            lease.close();
            throw failure;
        }
        if (interruption != null) interruption.end();
        end(lease);
        return result;
    }

    /** The body has ended normally: was it under the lease? */
    private static void end(BoundLease lease) {
        if (!lease.wasReleased()) lease.ensureHeld();
        if (lease.options.quickRelease()) {
            lease.close();
            return;
        }
        Tenure.Ending how = Blocking.uninterruptibly(lease.surrender(), lease.service.answerLimit());
        // Without an answer its own deadline vouches for it: it had not come when the body ended.
        if (how == Tenure.Ending.LOST) throw lease.lostByStore();
    }

    /** Interrupts the body's thread when the lease is lost, and never later than the body ends. */
    private static final class Interruption {
        private final ReentrantLock lock = new ReentrantLock();
        private @Nullable Thread thread = Thread.currentThread();
        private boolean interrupted;

        Interruption(BoundLease lease) {
            lease.loss.reactAtOnce(this::lost);
        }

        private void lost(LeaseLostException cause) {
            lock.lock();
            try {
                if (thread == null) return;
                interrupted = true;
                thread.interrupt();
            } finally {
                lock.unlock();
            }
        }

        /** The flag that the body left standing is ours: it must not hit what the thread does next. */
        void end() {
            lock.lock();
            try {
                thread = null;
                if (interrupted) {
                    boolean unused = Thread.interrupted();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
