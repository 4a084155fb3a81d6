// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.time.Timer;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A connection to one server that renews itself. What is sent while there is none fails at once. */
final class Wire {
    /*
     * Renewal
     * -------
     * The driver's own reconnecting is off: it re-sends what was in flight, which may run a script twice, and it forgets
     * client tracking. A lost connection is thrown away with all that was in flight on it (outcome unknown), and a fresh
     * one is opened and prepared. Only when the preparation is complete - scripts loaded, tracking on, inbox subscribed -
     * can anybody send over it, so that no reply ever comes from a connection whose changes are not told.
     *
     * Silence. A peer that vanished without a word is noticed by asking: idle for half a second, and we ask the time; one
     * and a half seconds without any answer, and the connection is given up. Together two seconds, whatever the kernel's
     * timers think.
     */

    private static final System.Logger LOG = System.getLogger("dev.bellwether.redis");

    private static final Duration IDLE = Duration.ofMillis(500);
    private static final Duration SILENCE = Duration.ofMillis(1_500);
    private static final long FIRST_DELAY_MILLIS = 10;
    private static final long LAST_DELAY_MILLIS = 1_000;

    /** Opens, prepares and watches; called on threads of the driver, must not block. */
    interface Role {
        CompletionStage<? extends StatefulRedisConnection<byte[], byte[]>> open();

        /** The event loop of the connection opened last. */
        Executor loop();

        CompletionStage<?> prepare(Live fresh);

        /** It is gone, and nothing that was promised on it holds. */
        void lost();

        /** A fresh one serves. */
        void ready();

        /** The server told its time. */
        void observe(@Nullable Object reply, long sentNanos);
    }

    private final String name;
    private final Role role;
    private final Timer timer;
    private final Duration commandTimeout;
    private final ReentrantLock lock = new ReentrantLock();
    private final CompletableFuture<Void> first = new CompletableFuture<>();
    private volatile @Nullable Live live;
    private volatile @Nullable Live candidate;
    private volatile boolean closed;
    private volatile @Nullable Throwable lastFailure;
    private final AtomicInteger attempts = new AtomicInteger();

    Wire(String name, Role role, Timer timer, Duration commandTimeout) {
        this.name = name;
        this.role = role;
        this.timer = timer;
        this.commandTimeout = commandTimeout;
    }

    /** Begins to connect; the stage fails if the first attempt does. */
    CompletionStage<Void> start() {
        attempt();
        return first;
    }

    void send(Call call) {
        Live now = live;
        if (now != null) {
            now.send(call);
            return;
        }
        call.giveUp(
                closed
                        ? new ClosedException("the backend is closed", null)
                        : new BackendUnavailableException(
                                "not connected to " + name + "; connecting again", lastFailure));
    }

    private void attempt() {
        if (closed) return;
        try {
            role.open().whenComplete((connection, failure) -> {
                if (failure != null) failed(failure);
                else opened(connection);
            });
        } catch (RuntimeException failure) {
            failed(failure);
        }
    }

    private void opened(StatefulRedisConnection<byte[], byte[]> connection) {
        Live fresh = new Live(connection, role.loop(), timer, true);
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                lose(fresh, "the connection to " + name + " was lost");
            }
        });
        candidate = fresh;
        role.prepare(fresh).whenComplete((done, failure) -> {
            if (failure != null) {
                fresh.end("preparing the connection failed", true);
                failed(failure);
            } else {
                publish(fresh);
            }
        });
    }

    private void publish(Live fresh) {
        lock.lock();
        try {
            candidate = null;
            if (closed || !fresh.connection().isOpen()) {
                fresh.end("closed", true);
                if (!closed) failed(new BackendUnavailableException(name + " went away while connecting", null));
                return;
            }
            live = fresh;
            attempts.set(0);
            lastFailure = null;
        } finally {
            lock.unlock();
        }
        role.ready();
        first.complete(null);
    }

    private void failed(Throwable failure) {
        lastFailure = failure;
        candidate = null;
        // A peer that hung up during the greeting may do better next time; the caller's own limit bounds that.
        if (!ExceptionMapping.neverSent(failure)) first.completeExceptionally(failure);
        if (closed) return;
        int attempt = attempts.getAndIncrement();
        long most = Math.min(LAST_DELAY_MILLIS, FIRST_DELAY_MILLIS << Math.min(attempt, 10));
        long delay = most / 2 + ThreadLocalRandom.current().nextLong(most / 2 + 1);
        if (attempt == 3) LOG.log(System.Logger.Level.WARNING, "cannot reach " + name + ", trying on: " + failure);
        timer.after(Duration.ofMillis(delay), this::attempt);
    }

    private void lose(Live which, String why) {
        lock.lock();
        try {
            if (live != which) return;
            live = null;
        } finally {
            lock.unlock();
        }
        role.lost();
        which.end(why, true);
        attempt();
    }

    /** The server is no longer the one to talk to: look up and connect anew. */
    void renew(String why) {
        Live now = live;
        if (now != null) lose(now, why);
    }

    void pulse() {
        Live opening = candidate;
        if (opening != null) opening.expire(commandTimeout);
        Live now = live;
        if (now == null) return;
        now.expire(commandTimeout);
        if (now.silentFor(SILENCE)) {
            lose(now, name + " was silent for " + SILENCE);
        } else if (now.idleFor(IDLE)) {
            Call ping = now.ping();
            ping.stage().whenComplete((reply, failure) -> role.observe(reply, ping.sentNanos()));
        }
    }

    /** @param closing whether the connections are closed here, and not with their client */
    void close(boolean closing) {
        closed = true;
        Live now;
        lock.lock();
        try {
            now = live;
            live = null;
        } finally {
            lock.unlock();
        }
        if (now != null) now.end("the backend was closed", closing);
        Live opening = candidate;
        if (opening != null) opening.end("the backend was closed", closing);
    }
}
