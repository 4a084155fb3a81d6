// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;

/** One process of a {@link SimWorld}: what an engine in it needs, and what may befall it. */
public final class SimProcess implements Executor {
    private final SimWorld world;
    private final String name;
    private final SimTimer timer;
    private final SimBackend backend;
    private boolean crashed;
    private long pausedUntil;

    SimProcess(SimWorld world, String name) {
        this.world = world;
        this.name = name;
        this.timer = new SimTimer(world, this);
        this.backend = world.connect(this);
        double most = world.faults().skew;
        if (most > 0) skew(1 + most * (2 * world.random().nextDouble() - 1));
    }

    public String name() {
        return name;
    }

    /** Its clocks and timer. */
    public Timer timer() {
        return timer;
    }

    /** Runs tasks as threads of this process would: soon, in any order. The process itself is this executor. */
    public Executor executor() {
        return this;
    }

    /** Its connection to the store. */
    public KvBackend backend() {
        return backend;
    }

    /** Runs a task as a thread of this process. */
    @Override
    public void execute(Runnable task) {
        if (!crashed) world.soon(this, "a task", task);
    }

    /** Ends it at once and for ever: nothing of it runs again, though what it has sent may still arrive. */
    public void crash() {
        world.trace().add(world.nanos(), name, "crashes", "");
        crashed = true;
    }

    public boolean hasCrashed() {
        return crashed;
    }

    /** Stops it for a while, as a garbage collection would: its clocks go on, its tasks run afterwards. */
    public void pause(Duration length) {
        world.trace().add(world.nanos(), name, "pauses for", length);
        pausedUntil = Math.max(pausedUntil, world.nanos() + Durations.nanos(length));
    }

    /** Ends a pause early; what was put back meanwhile keeps its moment. */
    public void resume() {
        pausedUntil = world.nanos();
    }

    /** Lets its clock run at this rate from now on: 1.002 is two thousandths too fast. Within 1 % of the store's. */
    public void skew(double rate) {
        if (rate <= 0.99 || rate >= 1.01) throw new IllegalArgumentException("the rate is " + rate + "; within 1 %");
        timer.rate(rate);
    }

    /** The true nanosecond of the world at which {@code timer().nanoTime()} reaches that value, at its present rate. */
    public long trueNanosAt(long localNanos) {
        return timer.trueNanosAt(localNanos);
    }

    long pausedUntil() {
        return pausedUntil;
    }

    /** Whether it stands still now; chance may decide that it begins to. */
    boolean stalls() {
        if (pausedUntil > world.nanos()) return true;
        if (!world.chance(world.faults().pause)) return false;
        pause(Duration.ofNanos(1 + world.between(Duration.ZERO, world.faults().longestPause)));
        return true;
    }

    @Override
    public String toString() {
        return name;
    }
}
