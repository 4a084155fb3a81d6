// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.RequestId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Short ways to say what the tests ask of a backend whose stages are complete. */
final class Wishes {
    static final Duration MINUTE = Duration.ofMinutes(1);

    private Wishes() {}

    static <T> T now(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    static KvKey key(String name) {
        return KvKey.of(Bytes.utf8(name));
    }

    static LeaseName lease(String name) {
        return LeaseName.of(Bytes.utf8(name));
    }

    static QueueName queue(String name) {
        return QueueName.of(Bytes.utf8(name));
    }

    static EntryMutation.Put put(String name, String value) {
        return put(key(name), value, Expiry.NEVER);
    }

    static EntryMutation.Put put(KvKey key, String value, Expiry expiry) {
        return new EntryMutation.Put(key, Bytes.utf8(value), expiry);
    }

    static Commit guarded(Check check, EntryMutation mutation) {
        return new Commit(null, List.of(check), List.of(mutation));
    }

    static KvEntry get(KvBackend backend, KvKey key) {
        return read(backend, false, key).entries().get(0);
    }

    static Reading read(KvBackend backend, boolean arm, KvKey... keys) {
        return now(backend.read(new Query.Keys(List.of(keys), arm)));
    }

    static CommitReply enqueue(KvBackend backend, QueueName queue, Message... messages) {
        return now(backend.commit(
                Commit.of(new QueueMutation.Enqueue(queue, List.of(messages), QueueMutation.Enqueue.UNBOUNDED))));
    }

    static ClaimRequest claim(QueueName queue, long counter, int max) {
        return new ClaimRequest(queue, new RequestId(1, counter), List.of(), max, MINUTE, Duration.ZERO);
    }
}
