// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.lease.ThreadHolds.Entry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** The JDK's view of a lock: owned by a thread, re-entrant by a local count. */
final class ThreadLock implements Lock {
    private final DefaultLeaseLock lock;
    private final Object identity;
    private final ThreadHolds holds;

    ThreadLock(DefaultLeaseLock lock) {
        this.lock = lock;
        this.identity = lock.target().identity();
        this.holds = lock.service().threadHolds();
    }

    private boolean enterAgain() {
        Entry own = holds.own(identity);
        if (own == null) return false;
        own.lease.ensureHeld();
        own.count++;
        return true;
    }

    @Override
    public void lock() {
        if (enterAgain()) return;
        Duration maxWait = lock.options().maxWait();
        CompletableFuture<BoundLease> future = lock.waiting(maxWait);
        BoundLease lease = Blocking.uninterruptibly(future, lock.limit(maxWait));
        if (lease == null) {
            Blocking.drop(future);
            throw new IllegalStateException("the engine overran its own deadline; please report this");
        }
        holds.put(identity, lease);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (Thread.interrupted()) throw new InterruptedException();
        if (enterAgain()) return;
        holds.put(identity, acquire(lock.options().maxWait()));
    }

    private BoundLease acquire(Duration maxWait) throws InterruptedException {
        try {
            return lock.acquire(maxWait);
        } catch (CancellationException cancelled) {
            if (!Thread.interrupted()) throw cancelled;
            throw new InterruptedException(cancelled.getMessage());
        }
    }

    @Override
    public boolean tryLock() {
        if (enterAgain()) return true;
        CompletableFuture<Optional<BoundLease>> look = lock.looking();
        Optional<BoundLease> lease = Blocking.uninterruptibly(look, lock.limit(Duration.ZERO));
        if (lease == null || lease.isEmpty()) return false;
        holds.put(identity, lease.get());
        return true;
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) throw new InterruptedException();
        if (enterAgain()) return true;
        try {
            holds.put(identity, acquire(Duration.ofNanos(Math.max(0, unit.toNanos(time)))));
            return true;
        } catch (WaitTimeoutException late) {
            return false;
        }
    }

    @Override
    public void unlock() {
        Entry own = holds.own(identity);
        if (own == null) {
            throw new IllegalMonitorStateException("the thread "
                    + Thread.currentThread().getName()
                    + " does not hold " + lock.name() + " through asLock(); the thread that locked must unlock, and who"
                    + " hands a lock from thread to thread takes a Lease instead");
        }
        if (--own.count > 0) return;
        holds.remove(identity);
        boolean lost = own.lease.loss.cause() != null || !own.lease.isHeld();
        own.lease.close();
        if (lost || own.lease.loss.cause() != null) throw own.lease.lostByStore();
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a lock shared by processes has no conditions: a waiting holder would"
                + " have to give up and regain its lease. Wait for a queue's message or a watched entry instead");
    }

    @Override
    public String toString() {
        return "Lock[" + lock.name() + "]";
    }
}
