// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.error.ClosedException;
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
import dev.bellwether.spi.Limits;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Subscription;
import dev.bellwether.time.Durations;
import dev.bellwether.time.Timer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The store on Redis (6.2 and later) or Valkey: alone, under sentinels, or as a cluster. Thread-safe.
 *
 * <p>Two connections for each server, neither of which ever blocks: one for commands, one that is told of changes. A lost
 * connection is renewed in the background; meanwhile requests fail at once with {@code BackendUnavailableException}, and
 * those in flight with {@code OutcomeUnknownException}. Nothing is ever sent twice by itself.
 *
 * <p>The clock is the server's, to the microsecond; on a cluster that of the node which holds the partition. After a
 * failover or a restart without persistence the store has forgotten what it had not yet passed on: a {@code Doubt} hint
 * tells that leases should be verified.
 */
public final class RedisBackend implements KvBackend {
    private static final System.Logger LOG = System.getLogger("dev.bellwether.redis");

    private static final Duration PULSE = Duration.ofMillis(250);
    private static final Duration MEMORY = Duration.ofSeconds(30);

    /** A script with more operations would hold up everybody else for longer than 5 ms. */
    private static final int MOST_OPERATIONS = 1_000;

    private static final Limits LIMITS = new Limits(16 << 20, 64L << 20, MOST_OPERATIONS, MEMORY);

    private final Timer timer;
    private final Hints hints;
    private final Link link;
    private final Capabilities capabilities;
    private final Entries entries;
    private final Leases leases;
    private final Commits commits;
    private final Claims claims;
    private final Looks looks;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Timer.Scheduled pulse;

    private RedisBackend(Settings settings, @Nullable RedisClient lent) {
        this.timer = Timer.system();
        this.hints = new Hints();
        StoreClock clock = new StoreClock(timer);
        this.link = DirectLink.open(settings, lent, timer, hints, clock);
        Runner runner = new Runner(link, clock);
        Crowd crowd = new Crowd();
        Doctor doctor = new Doctor(link, clock, timer, settings);
        this.capabilities = new Capabilities(link.pushes() ? Set.of(Power.PUSHED_HINTS) : Set.of(), LIMITS);
        this.entries = new Entries(runner, clock);
        this.leases = new Leases(runner, crowd, settings.inbox());
        this.commits = new Commits(runner, crowd, MEMORY);
        this.claims = new Claims(runner, crowd, settings.inbox(), MEMORY);
        this.looks = new Looks(runner, link, doctor);
        this.pulse = timer.after(PULSE, this::pulse);
        doctor.look().thenAccept(facts -> {
            String warning = facts.getOrDefault("warnings", "");
            if (!warning.isEmpty()) LOG.log(System.Logger.Level.WARNING, settings.description() + ": " + warning);
        });
    }

    /**
     * Connects with default settings; waits for at most about ten seconds.
     *
     * @param uri {@code redis://}, {@code rediss://} (TLS), {@code redis-sentinel://host,host/0#master} or
     *     {@code redis-cluster://host:port,host:port}, each with {@code user:password@} where needed
     * @throws dev.bellwether.error.BackendUnavailableException if there is no connection, saying why and what to do
     * @throws IllegalArgumentException if the URI cannot be understood
     */
    public static RedisBackend connect(String uri) {
        return builder().uri(uri).build();
    }

    public static Builder builder() {
        return new Builder();
    }

    private void pulse() {
        if (closed.get()) return;
        try {
            link.pulse();
        } finally {
            pulse = timer.after(PULSE, this::pulse);
            if (closed.get()) pulse.cancel();
        }
    }

    private <T> CompletionStage<T> unlessClosed(Supplier<CompletionStage<T>> request) {
        if (closed.get()) return CompletableFuture.failedFuture(new ClosedException("the backend is closed", null));
        return request.get();
    }

    /** {@inheritDoc} Keys of one partition come from one moment; a range is not answered. */
    @Override
    public CompletionStage<Reading> read(Query query) {
        Objects.requireNonNull(query, "a read needs a query");
        if (query instanceof Query.Keys keys) return unlessClosed(() -> entries.read(keys));
        throw new IllegalArgumentException("this backend answers no range; it lacks the power ORDERED_SCAN");
    }

    @Override
    public CompletionStage<CommitReply> commit(Commit commit) {
        Objects.requireNonNull(commit, "a commit must not be null");
        var partition = Bounds.partition(commit, LIMITS);
        return unlessClosed(() -> commits.commit(commit, partition));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        Objects.requireNonNull(request, "an acquisition needs a request");
        return unlessClosed(() -> leases.acquire(request));
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
        Objects.requireNonNull(request, "a claim needs a request");
        return unlessClosed(() -> claims.claim(request));
    }

    @Override
    public <R> CompletionStage<R> inspect(Inspection<R> what) {
        Objects.requireNonNull(what, "an inspection needs a question");
        return unlessClosed(() -> looks.inspect(what));
    }

    @Override
    public Subscription listen(Consumer<? super Hint> listener) {
        Objects.requireNonNull(listener, "hints need a listener");
        return hints.listen(listener);
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    /** Ends within a few seconds. A client that was lent stays open. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) return;
        pulse.cancel();
        link.close();
    }

    /** Settings of a backend; every one has a default but the URI. */
    public static final class Builder {
        private @Nullable String uri;
        private @Nullable RedisClient lent;
        private Duration commandTimeout = Duration.ofSeconds(2);
        private Duration connectTimeout = Duration.ofSeconds(5);
        private @Nullable String clientName;

        private Builder() {}

        /** Where the store is; see {@link RedisBackend#connect}. */
        public Builder uri(String where) {
            this.uri = where;
            return this;
        }

        /**
         * Connects by a client of yours, which is never closed here. Its options must reject commands while disconnected
         * ({@code DisconnectedBehavior.REJECT_COMMANDS}); otherwise the driver would run scripts twice.
         */
        public Builder using(RedisClient client) {
            this.lent = client;
            return this;
        }

        /** After this time without an answer the outcome is unknown; from 50 ms to a minute, 2 s by default. */
        public Builder commandTimeout(Duration timeout) {
            this.commandTimeout =
                    Durations.between("the command timeout", timeout, Duration.ofMillis(50), Duration.ofMinutes(1));
            return this;
        }

        /** Bounds each attempt to connect; from 50 ms to a minute, 5 s by default. */
        public Builder connectTimeout(Duration timeout) {
            this.connectTimeout =
                    Durations.between("the connect timeout", timeout, Duration.ofMillis(50), Duration.ofMinutes(1));
            return this;
        }

        /** Shown by {@code CLIENT LIST}. */
        public Builder clientName(String name) {
            this.clientName = name;
            return this;
        }

        /**
         * Connects; blocks within twice the connect timeout.
         *
         * @throws dev.bellwether.error.BackendUnavailableException if there is no connection, saying why and what to do
         * @throws IllegalArgumentException if the URI is missing or cannot be understood, or the client could run
         *     scripts twice
         */
        public RedisBackend build() {
            if (uri == null) throw new IllegalArgumentException("no URI; call uri(\"redis://host:port\")");
            if (lent != null
                    && lent.getOptions().getDisconnectedBehavior()
                            != ClientOptions.DisconnectedBehavior.REJECT_COMMANDS) {
                throw new IllegalArgumentException("the client would send commands again after a reconnect and run"
                        + " scripts twice; set ClientOptions disconnectedBehavior(REJECT_COMMANDS) on it");
            }
            Settings settings = Uris.settings(uri, commandTimeout, connectTimeout, clientName);
            if (settings.cluster()) {
                throw new IllegalArgumentException(settings.description()
                        + ": this version serves one server or a Sentinel group, not a cluster; it would reach only the"
                        + " slots of the first node");
            }
            return new RedisBackend(settings, lent);
        }
    }
}
