// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import io.lettuce.core.RedisNoScriptException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs scripts and commands, and turns failures into what is certain. */
final class Runner {
    private final Link link;
    private final StoreClock clock;

    Runner(Link link, StoreClock clock) {
        this.link = link;
        this.clock = clock;
    }

    /** The reply of a script, an array that begins with the store's time; decoded where the reply arrives. */
    <T> CompletionStage<T> run(
            Request request, boolean tracked, String what, boolean reading, Function<Row, T> decode) {
        Call call = request.call(false);
        CompletableFuture<T> result = new CompletableFuture<>();
        call.stage().whenComplete((reply, failure) -> {
            if (failure instanceof RedisNoScriptException) again(request, tracked, what, reading, decode, result);
            else finish(call, reply, failure, what, reading, decode, result);
        });
        link.send(call, tracked);
        return result;
    }

    /** The server has lost its scripts, which proves that nothing ran. */
    private <T> void again(
            Request request,
            boolean tracked,
            String what,
            boolean reading,
            Function<Row, T> decode,
            CompletableFuture<T> result) {
        Call call = request.call(true);
        call.stage().whenComplete((reply, failure) -> finish(call, reply, failure, what, reading, decode, result));
        link.send(call, tracked);
    }

    private <T> void finish(
            Call call,
            @Nullable Object reply,
            @Nullable Throwable failure,
            String what,
            boolean reading,
            Function<Row, T> decode,
            CompletableFuture<T> result) {
        if (failure != null) {
            result.completeExceptionally(ExceptionMapping.map(failure, what, reading));
            return;
        }
        try {
            Row row = Row.of(reply);
            clock.observe(row.number(0), call.sentNanos());
            result.complete(decode.apply(row));
        } catch (RuntimeException defect) {
            result.completeExceptionally(ExceptionMapping.map(defect, what, reading));
        }
    }

    /** A plain reading command. */
    <T> CompletionStage<T> ask(Call call, boolean tracked, String what, Function<@Nullable Object, T> decode) {
        CompletionStage<T> result = call.stage().thenApply(decode).handle(Runner.mapped(what));
        link.send(call, tracked);
        return result;
    }

    /** What one stage brings, another receives; the failure itself, not wrapped. */
    static <T> void pass(CompletionStage<T> from, CompletableFuture<T> to) {
        from.whenComplete((value, failure) -> {
            if (failure != null) to.completeExceptionally(failure);
            else to.complete(value);
        });
    }

    static <T> java.util.function.BiFunction<T, @Nullable Throwable, T> mapped(String what) {
        return (value, failure) -> {
            if (failure != null) throw new CompletionException(ExceptionMapping.map(failure, what, true));
            return value;
        };
    }

    /** One array of a reply. */
    record Row(List<@Nullable Object> items) {
        @SuppressWarnings("unchecked")
        static Row of(@Nullable Object reply) {
            if (reply instanceof List<?> list) return new Row((List<@Nullable Object>) list);
            throw new IllegalStateException("an array was expected, not " + reply);
        }

        int size() {
            return items.size();
        }

        long number(int i) {
            Object item = items.get(i);
            if (item instanceof Long number) return number;
            return Long.parseLong(text(i));
        }

        int integer(int i) {
            return Math.toIntExact(number(i));
        }

        byte[] bytes(int i) {
            Object item = items.get(i);
            if (item instanceof byte[] bytes) return bytes;
            throw new IllegalStateException("bytes were expected, not " + item);
        }

        String text(int i) {
            return DirectLink.text(items.get(i));
        }

        Row row(int i) {
            return of(items.get(i));
        }

        /** Whether the script changed nothing and asks for the long form. */
        boolean wantsMore() {
            return size() == 2 && items.get(1) instanceof byte[] word && word.length == 1 && word[0] == 'L';
        }
    }
}
