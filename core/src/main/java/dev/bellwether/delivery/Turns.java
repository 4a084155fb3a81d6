// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes a step again for each time it was asked to, one at a time and never nested. Thread-safe. */
final class Turns {
    /*
     * A backend in this process answers while the request is being sent, and the answer asks for the next step: nested,
     * that would be a stack without a bound. So whoever comes first takes the steps of all, until nobody has asked in
     * the meantime; and lest one caller works for all others for ever, the executor takes over after MOST.
     */
    private static final int MOST = 1_000;

    private static final System.Logger LOG = System.getLogger("dev.bellwether");

    private final AtomicInteger asked = new AtomicInteger();
    private final Executor relief;
    private final Runnable step;

    Turns(Executor relief, Runnable step) {
        this.relief = relief;
        this.step = step;
    }

    void take() {
        if (asked.getAndIncrement() == 0) run();
    }

    private void run() {
        for (int turn = 1; ; turn++) {
            int seen = asked.get();
            try {
                step.run();
            } catch (RuntimeException | Error defect) {
                LOG.log(System.Logger.Level.ERROR, "a step of a queue failed; the next ones go on", defect);
            }
            if (asked.addAndGet(-seen) == 0) return;
            if (turn >= MOST && relieved()) return;
        }
    }

    private boolean relieved() {
        try {
            relief.execute(this::run);
            return true;
        } catch (RejectedExecutionException closed) {
            return false;
        }
    }
}
