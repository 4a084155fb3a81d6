// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.RejectedException;
import dev.bellwether.time.Timer;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One open connection, from connect to loss: sends in batches, bounds what is in flight, and knows whether it answers. */
final class Live {
    /*
     * Flushing. With automatic flushing each command costs a system call of its own. Here commands gather in the driver's
     * buffer, and the first of them queues one flush task on the event loop; those that come before it runs ride along.
     * The flag is cleared before the flush, so that a command which comes during it queues the next one.
     *
     * Supervision. Replies come in the order of the requests, so the oldest unanswered call is the head of the queue, and
     * looking at the head is enough to know all that took too long.
     */

    /** More than this in flight means that the server does not keep up; waiting longer would only hide it. */
    private static final int MOST_IN_FLIGHT = 16_384;

    private final StatefulConnection<byte[], byte[]> connection;
    private final Executor loop;
    private final Timer timer;
    private final boolean flushing;
    private final Queue<Call> pending = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicBoolean flushQueued = new AtomicBoolean();
    private volatile long heardNanos;
    private volatile @Nullable String ended;

    /** @param flushing false where the driver flushes by itself */
    Live(StatefulConnection<byte[], byte[]> connection, Executor loop, Timer timer, boolean flushing) {
        this.connection = connection;
        this.loop = loop;
        this.timer = timer;
        this.flushing = flushing;
        this.heardNanos = timer.nanoTime();
        connection.setAutoFlushCommands(!flushing);
    }

    StatefulConnection<byte[], byte[]> connection() {
        return connection;
    }

    void send(Call call) {
        if (inFlight.incrementAndGet() > MOST_IN_FLIGHT) {
            inFlight.decrementAndGet();
            call.giveUp(new RejectedException(
                    MOST_IN_FLIGHT + " requests are in flight; the server does not keep up, send less", null));
            return;
        }
        call.sentBy(this, timer.nanoTime());
        pending.add(call);
        try {
            connection.dispatch(call);
        } catch (RuntimeException refused) {
            call.completeExceptionally(refused);
            return;
        }
        String why = ended;
        if (why != null) call.giveUp(new OutcomeUnknownException(why, null));
        else if (flushing) flushSoon();
    }

    private void flushSoon() {
        if (!flushQueued.get() && flushQueued.compareAndSet(false, true)) loop.execute(this::flush);
    }

    private void flush() {
        flushQueued.set(false);
        connection.flushCommands();
    }

    /** The driver is done with a call of ours. */
    void answered(boolean byServer) {
        inFlight.decrementAndGet();
        if (byServer) heardNanos = timer.nanoTime();
        for (Call head = pending.peek(); head != null && head.isDone(); head = pending.peek()) pending.remove(head);
    }

    /** Fails what waits for longer than this, as unknown. */
    void expire(Duration limit) {
        long now = timer.nanoTime();
        for (Call head = pending.peek(); head != null; head = pending.peek()) {
            if (!head.reply().isDone()) {
                if (now - head.sentNanos() < limit.toNanos()) return;
                head.giveUp(new OutcomeUnknownException("no answer within " + limit, null));
            }
            pending.remove(head);
        }
    }

    /** Whether something waits for an answer and nothing at all was heard for this long. */
    boolean silentFor(Duration time) {
        long now = timer.nanoTime();
        return inFlight.get() > 0 && now - heardNanos > time.toNanos() && now - oldestSent(now) > time.toNanos();
    }

    private long oldestSent(long now) {
        Call head = pending.peek();
        // An empty queue with commands in flight: those that were given up, and they were old.
        return head == null ? now - Long.MAX_VALUE / 2 : head.sentNanos();
    }

    boolean idleFor(Duration time) {
        return inFlight.get() == 0 && timer.nanoTime() - heardNanos > time.toNanos();
    }

    Call ping() {
        Call ping = Call.of(CommandType.TIME);
        send(ping);
        return ping;
    }

    /**
     * Whatever waits fails as unknown. Idempotent.
     *
     * @param closing false where the client that owns the connection is about to close it
     */
    void end(String why, boolean closing) {
        ended = why;
        if (closing) close();
        OutcomeUnknownException failure = new OutcomeUnknownException(why, null);
        for (Call call = pending.poll(); call != null; call = pending.poll()) call.giveUp(failure);
    }

    private void close() {
        var unused = connection.closeAsync(); // bounded by nothing that anybody waits for
    }
}
