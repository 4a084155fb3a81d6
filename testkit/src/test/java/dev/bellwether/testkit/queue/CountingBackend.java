// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.queue;

import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keeps what was asked, and lets a test lose or refuse it. */
final class CountingBackend extends Wire {
    final List<ClaimRequest> claims = new ArrayList<>();
    final List<Commit> commits = new ArrayList<>();
    /** Answers instead of the store, by what was asked; null lets it through. */
    @Nullable
    Function<Object, @Nullable Throwable> before;

    /** Answers after the store did it. */
    @Nullable
    Function<Object, @Nullable Throwable> after;

    boolean hints = true;

    CountingBackend(KvBackend inner) {
        super(inner);
    }

    private <T> CompletionStage<T> through(Object request, Supplier<CompletionStage<T>> ask) {
        Throwable refused = before == null ? null : before.apply(request);
        if (refused != null) return CompletableFuture.failedStage(refused);
        CompletionStage<T> answer = ask.get();
        Throwable lost = after == null ? null : after.apply(request);
        return lost == null ? answer : CompletableFuture.failedStage(lost);
    }

    @Override
    public CompletionStage<Reading> read(Query query) {
        return through(query, () -> inner.read(query));
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        commits.add(commit);
        return through(commit, () -> inner.commit(commit));
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        claims.add(request);
        return through(request, () -> inner.claim(request));
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        return through(what, () -> inner.inspect(what));
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        return inner.listen(hint -> {
            if (hints) listener.accept(hint);
        });
    }
}
