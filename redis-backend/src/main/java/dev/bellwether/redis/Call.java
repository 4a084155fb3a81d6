// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.internal.ExceptionFactory;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One command on its way. The reply completes on the driver's event loop, in the order of replies and pushes, as long as
 * whoever follows it is attached before it is sent.
 */
final class Call extends Command<byte[], byte[], @Nullable Object> {
    private final CompletableFuture<@Nullable Object> reply = new CompletableFuture<>();
    private long sentNanos;
    private @Nullable Live live;

    Call(CommandType type, CommandArgs<byte[], byte[]> args) {
        super(type, new Reply(), args);
    }

    static Call of(CommandType type, byte[]... words) {
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        for (byte[] word : words) args.add(word);
        return new Call(type, args);
    }

    static Call withKeys(CommandType type, Collection<byte[]> keys) {
        return new Call(type, new CommandArgs<>(ByteArrayCodec.INSTANCE).addKeys(keys));
    }

    CompletableFuture<@Nullable Object> reply() {
        return reply;
    }

    /** The same, for those who only follow it. */
    CompletionStage<@Nullable Object> stage() {
        return reply;
    }

    long sentNanos() {
        return sentNanos;
    }

    void sentBy(Live connection, long nanos) {
        live = connection;
        sentNanos = nanos;
    }

    private void answered(boolean byServer) {
        Live connection = live;
        live = null;
        if (connection != null) connection.answered(byServer);
    }

    @Override
    public void complete() {
        super.complete();
        answered(true);
        String error = getError();
        if (error != null) reply.completeExceptionally(ExceptionFactory.createExecutionException(error));
        else reply.complete(getOutput().get());
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        super.completeExceptionally(failure);
        answered(false);
        return reply.completeExceptionally(failure);
    }

    @Override
    public void cancel() {
        super.cancel();
        answered(false);
        reply.cancel(false);
    }

    /** The caller waits no longer; a reply that still comes is read and dropped, so that the connection stays in step. */
    void giveUp(Throwable failure) {
        reply.completeExceptionally(failure);
    }
}
