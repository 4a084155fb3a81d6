// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.testkit.ManualTime;
import dev.bellwether.testkit.model.RandomHistory.Passing;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One comparison from an empty store on. Used once. */
final class HistoryRun {
    /** What stood further back is seldom the cause. */
    private static final int SHOWN = 40;

    /** How many requests back one may be sent again. */
    private static final int RECENT = 10;

    private static final long MOST_SECONDS_FOR_A_REPLY = 20;

    private final long seed;
    private final KvBackend backend;
    private final ManualTime time;
    private final Passing passing;
    private final boolean exact;
    private final Known known;
    private final Repertoire repertoire;
    private final Dictionary words = new Dictionary();
    private final Translation translation = new Translation(words);
    private final Judge judge;
    private final ModelStore model = new ModelStore();
    private final List<Request<?>> recent = new ArrayList<>();
    private final List<Long> moments = new ArrayList<>();
    private final Deque<String> told = new ArrayDeque<>();

    HistoryRun(
            long seed,
            KvBackend backend,
            ManualTime time,
            Passing passing,
            boolean exact,
            Known known,
            Repertoire repertoire) {
        this.seed = seed;
        this.backend = backend;
        this.time = time;
        this.passing = passing;
        this.exact = exact;
        this.known = known;
        this.repertoire = repertoire;
        this.judge = new Judge(words, exact);
    }

    List<String> tail() {
        return List.copyOf(told);
    }

    /** Null if all answers agree. */
    @Nullable
    String failure(List<Integer> steps) {
        for (int step : steps) {
            Random random = new Random(seed * 1_000_003L + step * 7_919L);
            letTimePass(random);
            boolean again = !recent.isEmpty() && random.nextInt(12) == 0;
            Request<?> request = again ? recent.get(random.nextInt(recent.size())) : repertoire.next(random);
            if (!again) remember(request);
            try {
                compare(step, request, again);
            } catch (Divergence divergence) {
                return "step " + step + ", " + divergence.getMessage();
            }
        }
        return null;
    }

    private void remember(Request<?> request) {
        // A claim is remembered until the consumer's next one, so a repetition must not come after that.
        if (request instanceof Request.Consume) recent.removeIf(old -> old instanceof Request.Consume);
        recent.add(request);
        if (recent.size() > RECENT) recent.remove(0);
        moments.addAll(Ends.of(request, time.epochMicros()));
        moments.removeIf(moment -> moment <= time.epochMicros());
    }

    private <R> void compare(int step, Request<R> request, boolean again) {
        tell(step + " at " + time.epochMicros() + (again ? " again " : " ") + request);
        R ours = model.step(0, request, time.epochMicros()).reply();
        R theirs = send(translation.of(request));
        judge.compare(request, ours, theirs, again);
        known.learn(request, ours);
    }

    private <R> R send(Request<R> request) {
        try {
            CompletableFuture<R> reply = request.sendTo(backend).toCompletableFuture();
            time.settle();
            return reply.get(MOST_SECONDS_FOR_A_REPLY, TimeUnit.SECONDS);
        } catch (Exception failure) {
            if (failure instanceof InterruptedException) Thread.currentThread().interrupt();
            throw new Divergence("no answer", request, failure);
        }
    }

    /** With a shared clock often to a moment at which something ends, to just before it, or to just after. */
    private void letTimePass(Random random) {
        if (!exact) {
            passing.pass(RandomHistory.pause(RandomHistory.isPause(random)));
            return;
        }
        int kind = random.nextInt(10);
        if (kind < 5) return;
        long micros = random.nextInt(2_000);
        if (kind >= 7 && !moments.isEmpty()) {
            long moment = moments.get(random.nextInt(moments.size()));
            micros = Math.max(0, moment - time.epochMicros() + random.nextInt(3) - 1);
        }
        passing.pass(Duration.ofNanos(micros * 1_000));
    }

    private void tell(String line) {
        told.add(line);
        if (told.size() > SHOWN) told.remove();
    }
}
