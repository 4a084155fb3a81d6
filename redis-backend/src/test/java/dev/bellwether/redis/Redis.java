// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.RequestId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Short words for tests. */
final class Redis {
    private static final AtomicLong COUNTER = new AtomicLong();

    private Redis() {}

    static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) throw cause;
            throw new AssertionError(e);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    static Bytes bytes(String text) {
        return Bytes.utf8(text);
    }

    static KvKey key(String name) {
        return KvKey.of(bytes(name));
    }

    static LeaseName lease(String name) {
        return LeaseName.of(bytes(name));
    }

    static QueueName queue(String name) {
        return QueueName.of(bytes(name));
    }

    static Owner owner() {
        return new Owner(7, COUNTER.incrementAndGet());
    }

    static RequestId id() {
        return new RequestId(7, COUNTER.incrementAndGet());
    }

    static RequestId id(long process) {
        return new RequestId(process, COUNTER.incrementAndGet());
    }

    static LeaseRequest wish(String name, Owner owner) {
        return LeaseRequest.of(lease(name), owner, Duration.ofSeconds(30));
    }

    static Acquisition.Granted grant(KvBackend backend, LeaseRequest request) {
        return (Acquisition.Granted) get(backend.acquire(request));
    }

    static KvEntry read(KvBackend backend, KvKey key) {
        return get(backend.read(new Query.Keys(List.of(key), false))).entries().get(0);
    }

    static KvEntry readArmed(KvBackend backend, KvKey key) {
        return get(backend.read(new Query.Keys(List.of(key), true))).entries().get(0);
    }

    static CommitReply commit(KvBackend backend, Mutation... mutations) {
        return get(backend.commit(new Commit(id(), List.of(), List.of(mutations))));
    }

    static CommitReply.Committed committed(KvBackend backend, Mutation... mutations) {
        return (CommitReply.Committed) commit(backend, mutations);
    }

    static CommitReply.Conflict conflict(KvBackend backend, Mutation... mutations) {
        return (CommitReply.Conflict) commit(backend, mutations);
    }

    static Claim claim(KvBackend backend, String queue, int max, QueueMutation.Settlement... settle) {
        return get(backend.claim(
                new ClaimRequest(queue(queue), id(1), List.of(settle), max, Duration.ofSeconds(30), Duration.ZERO)));
    }
}
