// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.engine.Engine;
import dev.bellwether.lease.LockService;
import dev.bellwether.lock.Lease;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** Processes that lock in one store, for the lock contracts. */
@Timeout(120)
public abstract class LockProcesses {
    /** Short enough for a test to wait for its end, long enough to outlast a busy machine's pauses. */
    static final Duration TERM = Duration.ofSeconds(1);

    static final Duration SOON = Duration.ofSeconds(5);

    private final List<Member> processes = new ArrayList<>();
    private LockFixture fixture;
    private String namespace = "";

    LockProcesses() {}

    /** A fresh fixture; called once for each test, which closes it. */
    protected abstract LockFixture create();

    /** One process: its own engine and locks, and its line to the store. */
    static final class Member {
        final Tap tap;
        final Engine engine;
        final LockService locks;

        Member(Tap tap, Engine engine) {
            this.tap = tap;
            this.engine = engine;
            this.locks = new LockService(engine);
        }

        /** Everything it left: waits, holds, requests, hints. */
        int remains() {
            return locks.size() + engine.hints().size();
        }
    }

    @BeforeEach
    final void open() {
        fixture = create();
        namespace = "lock-contract-" + Long.toString(Timer.system().newIdentity(), 36);
    }

    @AfterEach
    final void close() {
        for (Member process : processes) {
            process.tap.serveAll();
            CompletableFuture<?> unused = process.locks.close();
            process.engine.close();
        }
        fixture.close();
    }

    final Member process() {
        return process("process " + processes.size(), fixture.executor(), null);
    }

    final Member process(String label) {
        return process(label, fixture.executor(), null);
    }

    final Member process(String label, Executor executor, @Nullable BellwetherListener listener) {
        Tap tap = new Tap(fixture.connect());
        Engine engine = new Engine(
                tap,
                fixture.timer(),
                executor,
                new Engine.Settings(namespace, Duration.ofMillis(500), Duration.ofSeconds(2), label, listener));
        Member process = new Member(tap, engine);
        processes.add(process);
        return process;
    }

    final Executor executor() {
        return fixture.executor();
    }

    final Timer timer() {
        return fixture.timer();
    }

    final void pass(Duration length) {
        fixture.pass(length);
    }

    /** Lets time pass until it is so; false if it never is within the limit. */
    final boolean within(Duration limit, BooleanSupplier condition) {
        long end = timer().nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (timer().nanoTime() - end > 0) return false;
            pass(Duration.ofMillis(2));
        }
        return true;
    }

    final void await(String what, BooleanSupplier condition) {
        assertThat(within(SOON, condition)).as(what).isTrue();
    }

    final Lease granted(CompletableFuture<Lease> lease) {
        await("granted", lease::isDone);
        return lease.join();
    }

    final <T> T answer(CompletableFuture<T> future) {
        await("answered", future::isDone);
        return future.join();
    }

    /** An upper bound for a length: exact where the test moves time, generous on a machine that does other things too. */
    final Duration bound(Duration length) {
        return fixture.isReal() ? length.multipliedBy(2).plusSeconds(2) : length;
    }

    /** How long it takes by the test's clock until it is so. */
    final Duration timeUntil(BooleanSupplier condition) {
        long begin = timer().nanoTime();
        await("so", condition);
        return Duration.ofNanos(timer().nanoTime() - begin);
    }
}
