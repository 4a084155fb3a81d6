// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.testkit.ManualTime;
import dev.bellwether.time.Threads;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;

/** Where the processes of one lock test live: the store that they share, their clock, and their threads. */
public interface LockFixture extends AutoCloseable {
    /** A connection to the store, as one more process would open it. Whoever opened the fixture closes it. */
    KvBackend connect();

    Timer timer();

    Executor executor();

    /** Lets this much pass. */
    void pass(Duration length);

    /** Whether time is real, so that threads may block. */
    boolean isReal();

    @Override
    void close();

    /** A store in this process, whose clock is the given time; each connection is closed at the end. */
    static LockFixture onManualTime(ManualTime time, Supplier<? extends KvBackend> connecting) {
        Set<KvBackend> opened = new HashSet<>();
        return new LockFixture() {
            @Override
            public KvBackend connect() {
                KvBackend backend = connecting.get();
                opened.add(backend);
                return backend;
            }

            @Override
            public Timer timer() {
                return time;
            }

            @Override
            public Executor executor() {
                return time;
            }

            @Override
            public void pass(Duration length) {
                time.advance(length);
            }

            @Override
            public boolean isReal() {
                return false;
            }

            @Override
            public void close() {
                opened.forEach(KvBackend::close);
            }
        };
    }

    /** A store on real time; each connection is closed at the end. */
    static LockFixture onRealTime(Supplier<? extends KvBackend> connecting) {
        ExecutorService threads = Threads.workers("lock-contract");
        Set<KvBackend> opened = ConcurrentHashMap.newKeySet();
        return new LockFixture() {
            @Override
            public KvBackend connect() {
                KvBackend backend = connecting.get();
                opened.add(backend);
                return backend;
            }

            @Override
            public Timer timer() {
                return Timer.system();
            }

            @Override
            public Executor executor() {
                return threads;
            }

            @Override
            public void pass(Duration length) {
                CompletableFuture<Boolean> rung = new CompletableFuture<>();
                Timer.Scheduled unused = Timer.system().after(length, () -> rung.complete(true));
                boolean unusedToo = rung.join();
            }

            @Override
            public boolean isReal() {
                return true;
            }

            @Override
            public void close() {
                opened.forEach(KvBackend::close);
                threads.shutdownNow();
            }
        };
    }
}
