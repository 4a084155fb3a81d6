// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.memo;

import dev.bellwether.codec.Codecs;
import dev.bellwether.engine.Engine;
import dev.bellwether.flight.MemoService;
import dev.bellwether.memo.AsyncMemoizer;
import dev.bellwether.memo.Loader;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.testkit.ManualTime;
import dev.bellwether.testkit.model.ModelBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * A fleet of simulated processes that memoize numbers over one store, in virtual time, for one seed: who asks, invalidates,
 * dies and stands still when is drawn from it, as is the fate of every message. The same seed gives the same run.
 */
final class MemoWorld {
    static final Duration LEASE = Duration.ofSeconds(1);
    static final Duration MAX_WAIT = Duration.ofSeconds(8);
    static final Duration AT_MOST = Duration.ofSeconds(4);
    static final Duration LONGEST_LOAD = Duration.ofMillis(1_500);
    static final Duration REQUEST = Duration.ofMillis(500);
    private static final int ACTS = 40;
    private static final int ACTIVE_MILLIS = 8_000;

    /** What may happen in a run, of 1000 for each act or message. */
    record Profile(
            int invalidations,
            int clears,
            int tags,
            int puts,
            int crashes,
            int pauses,
            int failures,
            int hangs,
            boolean near,
            Duration ttl,
            SimLink.Faults faults) {
        boolean isFaultless() {
            return crashes == 0 && pauses == 0 && hangs == 0 && faults.equals(SimLink.Faults.NONE);
        }
    }

    /** One simulated process. */
    private record Node(
            int number, SimProcess process, Engine engine, MemoService service, AsyncMemoizer<String, Long> memo) {}

    private final ManualTime time = new ManualTime();
    private final Random random;
    private final Profile profile;
    private final MemoHistory history;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Long> truth = new HashMap<>();
    private final List<CompletableFuture<?>> unfinished = new ArrayList<>();

    MemoWorld(long seed, Profile profile, UnaryOperator<KvBackend> breaking) {
        this.random = new Random(seed);
        this.profile = profile;
        this.history = new MemoHistory(time, profile);
        ModelBackend store = new ModelBackend(time);
        int processes = 2 + random.nextInt(4);
        for (int i = 0; i < processes; i++) nodes.add(node(i, breaking.apply(store.another())));
    }

    private Node node(int number, KvBackend store) {
        SimProcess process = new SimProcess(time, random);
        SimLink link = new SimLink(store, time, random, process, profile.faults(), history.watcher(truth));
        Engine engine = new Engine(
                link, process, process, new Engine.Settings("sim", REQUEST, Duration.ofSeconds(1), "sim", null));
        MemoService service = new MemoService(engine);
        AsyncMemoizer<String, Long> memo = service.memoizer("m", String.class, Codecs.of(Long.class))
                .ttl(profile.ttl())
                .tags((key, value) -> List.of("t" + key))
                .lease(LEASE)
                .maxWait(MAX_WAIT)
                .atMost(AT_MOST)
                .nearCache(profile.near() ? 100 : 0)
                .buildAsync((key, context) -> load(number, process, key, context));
        return new Node(number, process, engine, service, memo);
    }

    private CompletionStage<Long> load(int number, SimProcess process, String key, Loader.Context<Long> context) {
        long read = truth.getOrDefault(key, 0L);
        boolean led = context.fence() != 0;
        MemoHistory.Compute compute = history.begins(number, key, read, led);
        CompletableFuture<Long> loaded = new CompletableFuture<>();
        if (happens(profile.hangs())) return loaded;
        boolean fails = happens(profile.failures());
        process.after(Duration.ofMillis(1 + random.nextLong(LONGEST_LOAD.toMillis())), () -> {
            history.ends(compute, fails);
            if (fails) loaded.completeExceptionally(new IllegalStateException("by chance"));
            else loaded.complete(read);
        });
        return loaded;
    }

    private boolean happens(int of1000) {
        return random.nextInt(1_000) < of1000;
    }

    private String key() {
        return "" + (char) ('a' + random.nextInt(2));
    }

    /** Runs to the end and checks what can be checked only then. */
    void run() {
        for (int i = 0; i < ACTS; i++) {
            Object unused = time.after(Duration.ofMillis(random.nextInt(ACTIVE_MILLIS)), this::act);
        }
        time.advance(Duration.ofMillis(ACTIVE_MILLIS));
        time.advance(MAX_WAIT.plus(AT_MOST).plus(AT_MOST).plusSeconds(60));
        history.check();
        for (Node node : nodes) {
            if (node.process().isAlive()) checkIdle(node);
        }
        nodes.forEach(node -> node.service().close());
        history.rethrow();
    }

    private void checkIdle(Node node) {
        history.require(
                node.memo().sync().toString().contains("(0 flights, 0 near entries)"),
                "process " + node.number() + " is idle, but " + node.memo().sync());
        history.require(
                node.engine().hints().size() == 2,
                "hints are registered at the end: " + node.engine().hints().size());
        history.require(
                node.process().scheduled() == 0,
                "timers are left at the end: " + node.process().scheduled());
    }

    private void act() {
        Node node = nodes.get(random.nextInt(nodes.size()));
        if (!node.process().isAlive()) return;
        int chance = random.nextInt(1_000);
        if ((chance -= profile.crashes()) < 0) {
            node.process().die();
            history.dies(node.number());
        } else if ((chance -= profile.pauses()) < 0) {
            history.dies(node.number()); // no promise about time is kept to who stands still
            node.process().pause(Duration.ofMillis(random.nextInt(3_000)));
        } else if ((chance -= profile.invalidations()) < 0) {
            change(node, key -> node.memo().invalidate(key), key());
        } else if ((chance -= profile.clears()) < 0) {
            change(node, key -> node.memo().clear(), key());
        } else if ((chance -= profile.tags()) < 0) {
            change(node, key -> node.service().invalidateTag("t" + key), key());
        } else if ((chance -= profile.puts()) < 0) {
            String key = key();
            long next = truth.merge(key, 1L, Long::sum);
            changed(node, key, next, node.memo().put(key, next));
        } else {
            int callers = 1 + random.nextInt(3);
            String key = key();
            for (int i = 0; i < callers; i++) get(node, key);
        }
    }

    private interface Change {
        CompletableFuture<Void> of(String key);
    }

    private void change(Node node, Change change, String key) {
        long next = truth.merge(key, 1L, Long::sum);
        node.process().run(() -> changed(node, key, next, change.of(key)));
    }

    private void changed(Node node, String key, long version, CompletableFuture<Void> done) {
        unfinished.add(done);
        done.whenComplete((ok, failure) -> {
            if (failure == null) history.acknowledged(node.number(), key, version);
        });
    }

    private void get(Node node, String key) {
        node.process().run(() -> {
            MemoHistory.Get get = history.asks(node.number(), key);
            CompletableFuture<Long> future = node.memo().get(key);
            future.whenComplete((value, failure) -> history.answered(get, value, failure));
            if (happens(30)) {
                Object unused = time.after(
                        Duration.ofMillis(random.nextInt(500)),
                        () -> node.process().run(() -> history.cancels(get, future)));
            }
        });
    }
}
