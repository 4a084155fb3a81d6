// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import dev.bellwether.memo.Loader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The expensive call of a test: counted, held back and failing at will. Reads its content when it begins. Thread-safe. */
final class Source implements Loader<String, String> {
    private static final int LONGEST_HOLD_SECONDS = 60;

    private final AtomicInteger computes = new AtomicInteger();
    private final Semaphore begun = new Semaphore(0);
    private volatile String content = "1";
    private volatile @Nullable CountDownLatch gate;
    private volatile @Nullable Throwable failure;

    int computes() {
        return computes.get();
    }

    void write(String next) {
        content = next;
    }

    /** From now on computations wait for {@link #release}. */
    void hold() {
        gate = new CountDownLatch(1);
    }

    void release() {
        CountDownLatch held = gate;
        gate = null;
        if (held != null) held.countDown();
    }

    /** From now on it throws this; null makes it well again. */
    void fail(@Nullable Throwable next) {
        failure = next;
    }

    /** Returns once one more computation has begun. */
    void awaitBegun() {
        try {
            if (!begun.tryAcquire(LONGEST_HOLD_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("no computation began within " + LONGEST_HOLD_SECONDS + " s");
            }
        } catch (InterruptedException unexpected) {
            throw new AssertionError("the test was interrupted", unexpected);
        }
    }

    @Override
    public String load(String key) throws Exception {
        computes.incrementAndGet();
        String read = content;
        CountDownLatch held = gate;
        begun.release();
        if (held != null && !held.await(LONGEST_HOLD_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the test held the source back for too long");
        }
        Throwable thrown = failure;
        if (thrown instanceof Error error) throw error;
        if (thrown instanceof Exception exception) throw exception;
        return read;
    }
}
