// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Capabilities;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Subscription;
import dev.bellwether.testkit.model.Bounds;
import dev.bellwether.testkit.model.ModelStore;
import dev.bellwether.testkit.model.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One process's connection to the store, through the faults of the world. */
final class SimBackend implements KvBackend {
    private final SimWorld world;
    private final SimProcess process;
    private final long number;
    private final List<Consumer<? super Hint>> listeners = new ArrayList<>();
    /** By the number of the request, in the order in which they were sent. */
    private final Map<Long, CompletableFuture<?>> waiting = new LinkedHashMap<>();

    private long requests;
    private long deafUntil;
    private long generation;
    private @Nullable Hint lastHint;
    private boolean closed;

    SimBackend(SimWorld world, SimProcess process, long number) {
        this.world = world;
        this.process = process;
        this.number = number;
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return send(new Request.Read(query));
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        Bounds.check(commit, capabilities().limits());
        return send(new Request.Change(commit));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return send(new Request.Acquire(request));
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        return send(new Request.Consume(request));
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return send(new Request.Look<>(what));
    }

    private <R> CompletionStage<R> send(Request<R> request) {
        if (closed) return CompletableFuture.failedFuture(new ClosedException("this backend is closed", null));
        CompletableFuture<R> answer = new CompletableFuture<>();
        if (process.hasCrashed()) return answer;
        long requestNumber = ++requests;
        waiting.put(requestNumber, answer);
        Faults faults = world.faults();
        if (world.chance(faults.unavailable)) {
            log("cannot send", request);
            var unused = answer.whenComplete((result, failure) -> waiting.remove(requestNumber));
            reply(answer, () -> answer.completeExceptionally(unavailable()));
            return answer;
        }
        log("sends", request);
        Event timeout = world.schedule(
                process,
                "a timeout",
                world.nanos() + faults.timeout.toNanos(),
                () -> end(answer, () -> answer.completeExceptionally(unknown())));
        var unused = answer.whenComplete((result, failure) -> {
            waiting.remove(requestNumber);
            boolean unusedAnswer = timeout.end();
        });
        if (world.chance(faults.dropRequest)) log("loses on the way", request);
        else later("a request", delay(), () -> arrive(request, answer));
        if (world.chance(faults.duplicate)) {
            later("a repeated request", world.between(Duration.ZERO, faults.duplicateWithin), () -> repeat(request));
        }
        return answer;
    }

    private <R> void arrive(Request<R> request, CompletableFuture<R> answer) {
        R result = world.store().serve(number, request);
        log("is answered", result);
        if (world.chance(world.faults().dropReply)) log("loses on the way back", result);
        else reply(answer, () -> answer.complete(result));
        if (world.chance(world.faults().spuriousHint)) spurious();
    }

    private void repeat(Request<?> request) {
        Object result = world.store().serve(number, request);
        log("has repeated", request);
        log("is answered in vain", result);
    }

    private void reply(CompletableFuture<?> answer, Runnable completion) {
        Event unused = world.schedule(process, "a reply", world.nanos() + delay(), () -> end(answer, completion));
    }

    private void end(CompletableFuture<?> answer, Runnable completion) {
        if (!answer.isDone()) completion.run();
    }

    private static BackendUnavailableException unavailable() {
        return new BackendUnavailableException("simulated: the request could not be sent", null);
    }

    private static OutcomeUnknownException unknown() {
        return new OutcomeUnknownException("simulated: no reply came in time", null);
    }

    private void later(String what, long nanos, Runnable work) {
        Event unused = world.schedule(null, what, world.nanos() + nanos, work);
    }

    private long delay() {
        Faults faults = world.faults();
        return world.between(faults.quickest, world.chance(faults.slow) ? faults.slowest : faults.usual);
    }

    private void log(String what, Object detail) {
        world.trace().add(world.nanos(), process.name(), what, detail);
    }

    /** Sends a hint on its way to this client, or loses it. */
    void hint(Hint hint) {
        lastHint = hint;
        Faults faults = world.faults();
        if (world.chance(faults.gap)) fallDeaf(world.between(Duration.ZERO, faults.longestGap));
        if (world.nanos() < deafUntil || world.chance(faults.loseHint)) {
            log("misses", hint);
            return;
        }
        tell(hint);
        if (world.chance(faults.duplicateHint)) tell(hint);
    }

    private void spurious() {
        if (lastHint == null || world.random().nextInt(5) == 0) doubt();
        else tell(lastHint);
    }

    private void fallDeaf(long nanos) {
        deafUntil = world.nanos() + nanos;
        later("the end of a gap", nanos, this::doubt);
    }

    /** Tells this client that it may have missed hints. */
    void doubt() {
        tell(new Hint.Doubt(++generation));
    }

    private void tell(Hint hint) {
        Event unused = world.schedule(process, "a hint", world.nanos() + delay(), () -> {
            log("hears", hint);
            List.copyOf(listeners).forEach(listener -> listener.accept(hint));
        });
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        Consumer<Hint> once = listener::accept;
        if (!closed) listeners.add(once);
        return () -> listeners.remove(once);
    }

    @Override
    public Capabilities capabilities() {
        return ModelStore.CAPABILITIES;
    }

    @Override
    public void close() {
        closed = true;
        listeners.clear();
        for (CompletableFuture<?> answer : List.copyOf(waiting.values())) {
            answer.completeExceptionally(
                    new ClosedException("this backend was closed while the request was out", null));
        }
        waiting.clear();
    }
}
