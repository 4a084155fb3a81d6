// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.time.Timer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Two connections to one server, found by its address or by sentinels: one for commands, one that is told things. */
final class DirectLink implements Link {
    private static final System.Logger LOG = System.getLogger("dev.bellwether.redis");

    private final @Nullable ClientResources resources;
    private final List<RedisClient> own = new ArrayList<>();
    private final Wire commands;
    private final Wire tracked;
    private final Hints hints;
    private final StoreClock clock;
    private final byte[] inbox;
    private volatile String shortcomings = "";
    private volatile boolean pushes = true;

    private DirectLink(Settings settings, @Nullable RedisClient lent, Timer timer, Hints hints, StoreClock clock) {
        this.hints = hints;
        this.clock = clock;
        this.inbox = ascii(settings.inbox());
        this.resources = lent == null ? Drivers.resources() : null;
        RedisURI uri = settings.uris().get(0);
        String name = settings.description();
        this.commands = new Wire(name, new Commands(client(lent, settings), uri), timer, settings.commandTimeout());
        this.tracked = new Wire(name, new Tracked(client(lent, settings), uri), timer, settings.commandTimeout());
    }

    /** Connects; the stage fails with the driver's words if that is not possible. */
    static DirectLink open(Settings settings, @Nullable RedisClient lent, Timer timer, Hints hints, StoreClock clock) {
        DirectLink link = new DirectLink(settings, lent, timer, hints, clock);
        try {
            CompletableFuture<?> both = CompletableFuture.allOf(
                    link.commands.start().toCompletableFuture(),
                    link.tracked.start().toCompletableFuture());
            Connecting.await(both, settings);
        } catch (RuntimeException failure) {
            link.close();
            throw failure;
        }
        return link;
    }

    private Drivers.Client client(@Nullable RedisClient lent, Settings settings) {
        if (lent != null)
            return new Drivers.Client(
                    lent, lent.getResources().eventExecutorGroup().next());
        Drivers.Client client = Drivers.Client.create(Objects.requireNonNull(resources), settings.connectTimeout());
        own.add(client.client());
        return client;
    }

    private final class Commands implements Wire.Role {
        private final Drivers.Client client;
        private final RedisURI uri;
        private boolean before;

        Commands(Drivers.Client client, RedisURI uri) {
            this.client = client;
            this.uri = uri;
        }

        @Override
        public CompletionStage<? extends StatefulRedisConnection<byte[], byte[]>> open() {
            return client.client().connectAsync(ByteArrayCodec.INSTANCE, uri);
        }

        @Override
        public Executor loop() {
            return client.loop();
        }

        @Override
        public CompletionStage<?> prepare(Live fresh) {
            for (Script script : Script.values()) {
                fresh.send(
                        Call.of(CommandType.SCRIPT, ascii("LOAD"), script.text())); // best effort: EVAL is the fallback
            }
            Call time = fresh.ping();
            return time.stage().thenAccept(reply -> observe(reply, time.sentNanos()));
        }

        @Override
        public void lost() {}

        @Override
        public void ready() {
            if (before) hints.doubt(); // it may be another server now: whoever holds something should verify it
            before = true;
        }

        @Override
        public void observe(@Nullable Object reply, long sentNanos) {
            if (reply instanceof List<?> list && list.size() == 2) {
                long seconds = Long.parseLong(text(list.get(0)));
                clock.observe(seconds * 1_000_000 + Long.parseLong(text(list.get(1))), sentNanos);
            }
        }
    }

    private final class Tracked implements Wire.Role {
        private final Drivers.Client client;
        private final RedisURI uri;
        private boolean before;

        Tracked(Drivers.Client client, RedisURI uri) {
            this.client = client;
            this.uri = uri;
        }

        @Override
        public CompletionStage<? extends StatefulRedisConnection<byte[], byte[]>> open() {
            return client.client().connectPubSubAsync(ByteArrayCodec.INSTANCE, uri);
        }

        @Override
        public Executor loop() {
            return client.loop();
        }

        @Override
        public CompletionStage<?> prepare(Live fresh) {
            var connection = (StatefulRedisPubSubConnection<byte[], byte[]>) fresh.connection();
            connection.addListener(message -> hints.push(message.getType(), message.getContent()));
            Call tracking = Call.of(CommandType.CLIENT, ascii("TRACKING"), ascii("ON"));
            fresh.send(tracking);
            CompletionStage<?> subscribed = connection.async().subscribe(inbox);
            connection.flushCommands();
            return Connecting.whatWorks("client tracking (right +client|tracking)", tracking.reply())
                    .thenCombine(
                            Connecting.whatWorks("wake-up messages (right +subscribe &bw:*)", subscribed),
                            String::concat)
                    .thenAccept(DirectLink.this::missing);
        }

        @Override
        public void lost() {
            hints.doubt();
        }

        @Override
        public void ready() {
            if (before) hints.doubt();
            before = true;
        }

        @Override
        public void observe(@Nullable Object reply, long sentNanos) {}
    }

    private void missing(String what) {
        if (!what.isEmpty() && !what.equals(shortcomings)) {
            LOG.log(System.Logger.Level.WARNING, "waits fall back to their timers: " + what);
        }
        shortcomings = what;
        pushes = what.isEmpty();
    }

    static byte[] ascii(String word) {
        return word.getBytes(StandardCharsets.US_ASCII);
    }

    static String text(@Nullable Object reply) {
        return reply instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(reply);
    }

    @Override
    public void send(Call call, boolean overTracked) {
        Wire wire = overTracked ? tracked : commands;
        call.stage().exceptionally(failure -> {
            if (ExceptionMapping.wantsAnotherServer(failure)) wire.renew("the server is no master any more");
            return null;
        });
        wire.send(call);
    }

    @Override
    public int nodes() {
        return 1;
    }

    @Override
    public void sendTo(int node, Call call) {
        commands.send(call);
    }

    @Override
    public boolean pushes() {
        return pushes;
    }

    @Override
    public void pulse() {
        commands.pulse();
        tracked.pulse();
    }

    @Override
    public String shortcomings() {
        return shortcomings;
    }

    @Override
    public void close() {
        commands.close(resources == null);
        tracked.close(resources == null);
        if (resources != null) Drivers.end(own, resources);
    }
}
