// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.codec.Codecs;
import dev.bellwether.delivery.QueueService;
import dev.bellwether.engine.Engine;
import dev.bellwether.kv.StoreService;
import dev.bellwether.lease.LockService;
import dev.bellwether.spi.Power;
import dev.bellwether.store.KvStore;
import dev.bellwether.store.Transactions;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Processes that keep entries in one store, for the store contracts. */
public abstract class StoreProcesses {
    static final Duration SOON = Duration.ofSeconds(8);

    private final List<Client> clients = new ArrayList<>();
    private LockFixture fixture;
    private String namespace = "";

    protected StoreProcesses() {}

    /** A fresh fixture; called once for each test, which closes it. */
    protected abstract LockFixture create();

    /** One process: its own engine, colocated in one partition, and its line to the store. */
    static final class Client {
        final Tap tap;
        final Engine spread;
        final Engine engine;
        final StoreService stores;
        final LockService locks;
        final QueueService queues;
        final Transactions transactions;

        Client(Tap tap, Engine spread) {
            this.tap = tap;
            this.spread = spread;
            this.engine = spread.colocated("one");
            this.stores = new StoreService(engine);
            this.locks = new LockService(engine);
            this.queues = new QueueService(engine);
            this.transactions = stores.transactions();
        }

        <K, V> KvStore<K, V> store(String name, Class<K> keys, Class<V> values) {
            return stores.store(name, keys, Codecs.of(values));
        }

        KvStore<String, String> texts() {
            return store("texts", String.class, String.class);
        }

        KvStore<String, Long> counters() {
            return store("counters", String.class, Long.class);
        }

        boolean can(Power power) {
            return tap.capabilities().can(power);
        }
    }

    @BeforeEach
    final void open() {
        fixture = create();
        namespace = "store-contract-" + Long.toString(Timer.system().newIdentity(), 36);
    }

    @AfterEach
    final void close() {
        for (Client client : clients) {
            client.tap.serveAll();
            client.stores.close();
            client.queues.close();
            CompletableFuture<?> unused = client.locks.close();
            client.spread.close();
        }
        fixture.close();
    }

    final Client client() {
        Tap tap = new Tap(fixture.connect());
        Engine engine = new Engine(
                tap,
                fixture.timer(),
                fixture.executor(),
                new Engine.Settings(
                        namespace, Duration.ofMillis(500), Duration.ofSeconds(2), "client " + clients.size(), null));
        Client client = new Client(tap, engine);
        clients.add(client);
        return client;
    }

    final Timer timer() {
        return fixture.timer();
    }

    final void pass(Duration length) {
        fixture.pass(length);
    }

    /** Lets time pass until it is so. */
    final void await(String what, BooleanSupplier condition) {
        long end = timer().nanoTime() + SOON.toNanos();
        while (!condition.getAsBoolean() && timer().nanoTime() - end < 0) pass(Duration.ofMillis(2));
        assertThat(condition.getAsBoolean()).as(what).isTrue();
    }

    final <T> T answer(CompletableFuture<T> future) {
        await("answered", future::isDone);
        return future.join();
    }

    final Throwable failure(CompletableFuture<?> future) {
        await("answered", future::isDone);
        return future.handle((value, failure) -> failure).join();
    }
}
