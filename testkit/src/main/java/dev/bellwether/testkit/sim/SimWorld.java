// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Query;
import dev.bellwether.testkit.model.Request;
import dev.bellwether.testkit.model.StoreState;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Processes, a network and one store, in virtual time, on one thread: whatever happens is a function of the seed.
 *
 * <p>Each {@link SimProcess} has a timer, an executor and a backend to build an engine on. Engines must be used by their
 * asynchronous side: nothing may block. Which of the tasks that are due runs next is drawn at random, as are delays and
 * faults. A task that throws ends the run: {@link #run} throws an {@code AssertionError} with the seed and the last
 * events, and a world with the same seed does the same again.
 *
 * <pre>{@code
 * Simulations.explore(10_000, 1, Faults.wild(), world -> {
 *     LockHistory history = new LockHistory();
 *     for (String name : List.of("A", "B", "C")) {
 *         SimProcess process = world.process(name);
 *         AsyncLocks locks = engineOn(process.backend(), process.timer(), process.executor());
 *         process.execute(() -> locks.acquire("x").thenAccept(lease -> history.believes(...)));
 *     }
 *     world.after(Duration.ofSeconds(5), () -> world.process("A").crash());
 *     world.run(Duration.ofMinutes(1));
 *     history.check();
 * });
 * }</pre>
 *
 * <p>Not thread-safe: one thread, and no other source of time, chance or concurrency, or replays differ.
 */
public final class SimWorld {
    /*
     * One queue of events
     * -------------------
     * Every event has a moment and a random tie-breaker. Handing a task to an executor gives it a moment a few random
     * microseconds later: that alone lets tasks of one process and of several interleave in every order. Events of a
     * process that is paused are put back to the end of the pause, those of a crashed one are dropped when their turn
     * comes. Requests in flight belong to the world and not to their sender, and so survive it.
     */

    /** A schedule that has not ended after so many events runs in a circle. */
    private static final int MOST_EVENTS = 5_000_000;

    /** How long a task waits for a thread: enough to let many orders happen, too short to matter to any deadline. */
    private static final long MOST_NANOS_FOR_A_THREAD = 50_000;

    private final long seed;
    private final Faults faults;
    private final Random random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<String, SimProcess> processes = new LinkedHashMap<>();
    private final Trace trace = new Trace();
    private final SimStore store;
    private final List<SimBackend> clients = new ArrayList<>();
    private long nanos;
    private long order;
    private int happened;

    /** A world with mild faults. */
    public SimWorld(long seed) {
        this(seed, Faults.mild());
    }

    public SimWorld(long seed, Faults faults) {
        this.seed = seed;
        this.faults = faults;
        // Neighbouring seeds of this generator begin alike; multiplying parts them.
        this.random = new Random(seed * 0x9E3779B97F4A7C15L + 0x1234_5678_9ABCL);
        this.store = new SimStore(this);
    }

    /** The process of this name; a new one if there was none, or if it has crashed. */
    public SimProcess process(String name) {
        SimProcess known = processes.get(name);
        if (known != null && !known.hasCrashed()) return known;
        SimProcess fresh = new SimProcess(this, name);
        processes.put(name, fresh);
        return fresh;
    }

    /** The dice of this world, for the scenario's own choices. */
    public Random random() {
        return random;
    }

    /** True time since the world began, in nanoseconds: for histories, not for engines. */
    public long nanos() {
        return nanos;
    }

    /** True time since the world began. */
    public Duration elapsed() {
        return Duration.ofNanos(nanos);
    }

    /** Does something to the world after a length of true time. */
    public void after(Duration length, Runnable work) {
        Event unused = schedule(null, "scenario", nanos + Durations.nanos(length), work);
    }

    /** Writes a line into the trace that a failure shows. */
    public void note(String line) {
        trace.add(nanos, "scenario", line, "");
    }

    /**
     * Lets this much time pass and everything that is due in it happen.
     *
     * @throws AssertionError with the seed and the last events, if a task throws
     */
    public void run(Duration length) {
        boolean unused = runUntil(() -> false, length);
    }

    /** As {@link #run}, but stops as soon as the condition holds; false if it never did. */
    public boolean runUntil(BooleanSupplier done, Duration atMost) {
        long end = nanos + Durations.nanos(atMost);
        while (!done.getAsBoolean()) {
            Event next = events.peek();
            if (next == null || next.at() > end) {
                nanos = end;
                return done.getAsBoolean();
            }
            events.remove();
            happen(next);
        }
        return true;
    }

    private void happen(Event event) {
        nanos = Math.max(nanos, event.at());
        SimProcess owner = event.owner;
        if (event.isOver() || (owner != null && owner.hasCrashed())) return;
        if (owner != null && owner.stalls()) {
            event.postpone(owner.pausedUntil(), random.nextLong());
            events.add(event);
            return;
        }
        boolean unused = event.end();
        if (++happened > MOST_EVENTS) throw failure("after " + MOST_EVENTS + " events there is still work due", null);
        try {
            event.work.run();
        } catch (Throwable failure) {
            throw failure(event + " failed: " + failure, failure);
        }
    }

    /** What to throw when something is wrong: the words, the seed and the last events. */
    public AssertionError failure(String words, @Nullable Throwable cause) {
        if (cause instanceof AssertionError known
                && known.getMessage() != null
                && known.getMessage().contains(label())) {
            return known;
        }
        return new AssertionError(words + "\n" + label() + ", at " + elapsed() + trace, cause);
    }

    private String label() {
        return "world of seed " + seed + "L";
    }

    /** The store's clock jumps, forward or back. */
    public void stepStoreClock(Duration step) {
        trace.add(nanos, "store", "clock steps by", step);
        store.stepClock(step);
    }

    /** The store's clock in microseconds. */
    public long storeMicros() {
        return store.micros();
    }

    /** The store forgets everything, and every client comes to doubt. */
    public void flushStore() {
        trace.add(nanos, "store", "forgets everything", "");
        store.restore(StoreState.empty());
        clients.forEach(SimBackend::doubt);
    }

    /** The store fails over to a replica that lacks the writes of this last length; every client comes to doubt. */
    public void loseRecentWrites(Duration length) {
        trace.add(nanos, "store", "loses the writes of", length);
        store.goBackBy(length);
        clients.forEach(SimBackend::doubt);
    }

    /** Asks the store itself, past every fault, at once: for checking what came of it. */
    public <R> R look(Inspection<R> what) {
        return store.look(new Request.Look<>(what));
    }

    /** As above: the entries under these keys. */
    public List<KvEntry> look(List<KvKey> keys) {
        return store.look(new Request.Read(new Query.Keys(keys, false))).entries();
    }

    Faults faults() {
        return faults;
    }

    SimStore store() {
        return store;
    }

    Trace trace() {
        return trace;
    }

    boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /** Between the two, evenly, in nanoseconds. */
    long between(Duration least, Duration most) {
        long low = Durations.nanos(least);
        long high = Durations.nanos(most);
        return high <= low ? low : low + (long) (random.nextDouble() * (high - low));
    }

    Event schedule(@Nullable SimProcess owner, String what, long at, Runnable work) {
        Event event = new Event(owner, what, work, at, random.nextLong(), order++);
        events.add(event);
        return event;
    }

    Event soon(SimProcess owner, String what, Runnable work) {
        return schedule(owner, what, nanos + random.nextInt((int) MOST_NANOS_FOR_A_THREAD), work);
    }

    SimBackend connect(SimProcess process) {
        SimBackend client = new SimBackend(this, process, clients.size());
        clients.add(client);
        return client;
    }

    SimBackend client(long number) {
        return clients.get((int) number);
    }
}
