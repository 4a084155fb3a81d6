// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import dev.bellwether.testkit.model.ModelStore;
import dev.bellwether.testkit.model.Request;
import dev.bellwether.testkit.model.Step;
import dev.bellwether.testkit.model.StoreState;
import dev.bellwether.testkit.model.Told;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The one store of a world: the model, a clock that can be stepped, and a log to go back by. */
final class SimStore {
    /** 2026-01-01T00:00:00Z. */
    private static final long START_MICROS = 1_767_225_600_000_000L;

    private record Logged(long nanos, long micros, long client, Request<?> request) {}

    private final SimWorld world;
    private final ModelStore model = new ModelStore();
    private StoreState base = StoreState.empty();
    private final List<Logged> log = new ArrayList<>();
    private long stepMicros;

    SimStore(SimWorld world) {
        this.world = world;
    }

    long micros() {
        return START_MICROS + stepMicros + world.nanos() / 1_000;
    }

    void stepClock(Duration step) {
        stepMicros += step.toNanos() / 1_000;
    }

    <R> R serve(long client, Request<R> request) {
        log.add(new Logged(world.nanos(), micros(), client, request));
        Step<R> step = model.step(client, request, micros());
        for (Told told : step.hints()) world.client(told.client()).hint(told.hint());
        return step.reply();
    }

    /** Changes nothing that anybody could see. */
    <R> R look(Request<R> request) {
        return model.step(-1, request, micros()).reply();
    }

    void restore(StoreState state) {
        base = state;
        log.clear();
        model.restore(state);
    }

    /** Replays what is older than that. */
    void goBackBy(Duration length) {
        long until = world.nanos() - Durations.nanos(length);
        model.restore(base);
        log.removeIf(logged -> logged.nanos() > until);
        for (Logged logged : log) {
            var unused = model.step(logged.client(), logged.request(), logged.micros());
        }
    }
}
