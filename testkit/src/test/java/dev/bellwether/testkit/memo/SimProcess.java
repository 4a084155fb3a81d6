// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.memo;

import dev.bellwether.testkit.ManualTime;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.Executor;

/** One simulated process: its timer and its threads, which stand still with it and die with it. For one thread. */
final class SimProcess implements Timer, Executor {
    private final ManualTime time;
    private final Random random;
    private final ArrayDeque<Runnable> missed = new ArrayDeque<>();
    private int scheduled;
    private boolean paused;
    private boolean dead;

    SimProcess(ManualTime time, Random random) {
        this.time = time;
        this.random = random;
    }

    /** Runs it in this process: now, when the process goes on, or never. */
    void run(Runnable task) {
        if (dead) return;
        if (paused) missed.add(task);
        else task.run();
    }

    void pause(Duration length) {
        if (paused) return;
        paused = true;
        Scheduled unused = time.after(length, this::goOn);
    }

    private void goOn() {
        paused = false;
        while (!paused && !dead && !missed.isEmpty()) missed.remove().run();
    }

    void die() {
        dead = true;
    }

    boolean isAlive() {
        return !dead;
    }

    /** Tasks that wait for their time. */
    int scheduled() {
        return scheduled;
    }

    @Override
    public long nanoTime() {
        return time.nanoTime();
    }

    @Override
    public long epochMicros() {
        return time.epochMicros();
    }

    @Override
    public Scheduled after(Duration delay, Runnable task) {
        scheduled++;
        boolean[] over = new boolean[1];
        Scheduled inner = time.after(delay, () -> {
            end(over);
            run(task);
        });
        return () -> {
            end(over);
            return inner.cancel();
        };
    }

    private void end(boolean[] over) {
        if (!over[0]) scheduled--;
        over[0] = true;
    }

    @Override
    public double random() {
        return random.nextDouble();
    }

    @Override
    public long newIdentity() {
        return time.newIdentity();
    }

    /** Threads are scheduled late at times. */
    @Override
    public void execute(Runnable task) {
        Scheduled unused = time.after(Duration.ofNanos(random.nextInt(200_000)), () -> run(task));
    }
}
