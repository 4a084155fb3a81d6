// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.time.Threads;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.ThreadFactoryProvider;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** How the driver is set up, and the threads that are ours to end. */
final class Drivers {
    /** Bounds {@code close()}: the threads of the driver get this long to end. */
    private static final long SHUTDOWN_SECONDS = 3;

    private static final System.Logger LOG = System.getLogger("dev.bellwether.redis");

    private Drivers() {}

    static ClientResources resources() {
        return ClientResources.builder()
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .threadFactoryProvider(new ThreadFactoryProvider() {
                    @Override
                    public java.util.concurrent.ThreadFactory getThreadFactory(String poolName) {
                        return Threads.named("redis-" + poolName.replace("lettuce-", ""));
                    }
                })
                .build();
    }

    /** Clients first: while one of them ends, its event loops would outlive an end of the resources. */
    static void end(Collection<? extends AbstractRedisClient> clients, ClientResources resources) {
        CompletableFuture<?>[] ends = clients.stream()
                .map(client -> client.shutdownAsync(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS))
                .toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(ends).get(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "a client did not end in order; its threads are ended all the same",
                    e);
        }
        resources
                .shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    }

    /** The options without which a script may run twice, and those that bound every wait. */
    static ClientOptions.Builder options(ClientOptions.Builder options, Duration connectTimeout, boolean reconnect) {
        return options.autoReconnect(reconnect)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(connectTimeout)
                        .keepAlive(true)
                        .build());
    }

    /** A client of our own with the event loop of its latest channel. */
    record Client(RedisClient client, Executor loop) {
        static Client create(ClientResources shared, Duration connectTimeout) {
            AtomicReference<@Nullable Channel> latest = new AtomicReference<>();
            ClientResources resources = shared.mutate()
                    .nettyCustomizer(new NettyCustomizer() {
                        @Override
                        public void afterChannelInitialized(Channel channel) {
                            latest.set(channel);
                        }
                    })
                    .build();
            RedisClient client = RedisClient.create(resources);
            client.setOptions(
                    options(ClientOptions.builder(), connectTimeout, false).build());
            return new Client(
                    client,
                    task -> Objects.requireNonNull(latest.get()).eventLoop().execute(task));
        }
    }
}
