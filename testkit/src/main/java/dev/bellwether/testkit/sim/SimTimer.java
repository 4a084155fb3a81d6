// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer;
import java.time.Duration;

/** The clocks of one process, which need not agree with those of others or with the truth. */
final class SimTimer implements Timer {
    private static final Duration CLOCKS_DIFFER = Duration.ofSeconds(5);

    private final SimWorld world;
    private final SimProcess process;
    private double rate = 1;
    private long sinceTrue;
    /** Anything, below zero as well: only differences mean something. */
    private long sinceLocal;

    private final long wallOffsetMicros;

    SimTimer(SimWorld world, SimProcess process) {
        this.world = world;
        this.process = process;
        this.sinceTrue = world.nanos();
        this.sinceLocal = (long) (1e15 * (2 * world.random().nextDouble() - 1));
        long offset = world.between(Duration.ZERO, CLOCKS_DIFFER.multipliedBy(2)) - CLOCKS_DIFFER.toNanos();
        this.wallOffsetMicros = world.faults().skew > 0 ? offset / 1_000 : 0;
    }

    void rate(double newRate) {
        sinceLocal = nanoTime();
        sinceTrue = world.nanos();
        rate = newRate;
    }

    @Override
    public long nanoTime() {
        return sinceLocal + (long) ((world.nanos() - sinceTrue) * rate);
    }

    long trueNanosAt(long localNanos) {
        return sinceTrue + (long) Math.floor((localNanos - sinceLocal) / rate);
    }

    @Override
    public long epochMicros() {
        return world.storeMicros() + wallOffsetMicros;
    }

    @Override
    public double random() {
        return world.random().nextDouble();
    }

    @Override
    public long newIdentity() {
        return 1 + (world.random().nextLong() >>> 2);
    }

    @Override
    public Scheduled after(Duration delay, Runnable task) {
        long late = world.between(Duration.ZERO, world.faults().timerLateness);
        long wait = Math.min((long) Math.ceil(Durations.nanos(delay) / rate) + 2 + late, Long.MAX_VALUE >> 1);
        Event event = world.schedule(process, "a timer", world.nanos() + wait, task);
        return event::end;
    }
}
