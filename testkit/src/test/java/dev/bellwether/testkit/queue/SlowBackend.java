// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.queue;

import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Answers later, as a store behind a network does. */
final class SlowBackend extends Wire {
    private final Timer timer;
    private final Duration delay;
    int requests;

    SlowBackend(KvBackend inner, Timer timer, Duration delay) {
        super(inner);
        this.timer = timer;
        this.delay = delay;
    }

    private <T> CompletionStage<T> later(Supplier<CompletionStage<T>> ask) {
        requests++;
        CompletableFuture<T> answer = new CompletableFuture<>();
        Timer.Scheduled unused = timer.after(
                delay,
                () -> ask.get().whenComplete((value, failure) -> {
                    if (failure == null) answer.complete(value);
                    else answer.completeExceptionally(failure);
                }));
        return answer;
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return later(() -> inner.read(query));
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        return later(() -> inner.commit(commit));
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        return later(() -> inner.claim(request));
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return later(() -> inner.inspect(what));
    }
}
