// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.queue;

import dev.bellwether.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** An executor whose tasks begin when the test says so, and in which time may pass. */
final class ManualHandlers implements Executor {
    private final ManualTime time;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    ManualHandlers(ManualTime time) {
        this.time = time;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    /** Runs what has been handed over by now. */
    void run() {
        for (int left = tasks.size(); left > 0; left--) tasks.remove().run();
    }

    /** Lets time pass while a handler runs. */
    void during(Duration length) {
        time.advance(length);
    }
}
