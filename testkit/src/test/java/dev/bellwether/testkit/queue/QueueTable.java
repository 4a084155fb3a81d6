// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.queue;

import dev.bellwether.codec.Codecs;
import dev.bellwether.delivery.QueueService;
import dev.bellwether.engine.Engine;
import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.queue.WorkQueue;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.testkit.ManualTime;
import dev.bellwether.testkit.model.ModelBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** One process on a model store, with a counter of what it asks. */
final class QueueTable {
    final ManualTime time = new ManualTime();
    final ModelBackend model = new ModelBackend(time);
    final List<BellwetherListener.Settle> settled = new ArrayList<>();
    final CountingBackend backend = new CountingBackend(model);
    private final Map<QueueService, CountingBackend> links = new HashMap<>();
    final Engine engine = engine(backend);
    final QueueService service = new QueueService(engine);

    Engine engine(KvBackend backend) {
        BellwetherListener listener = new BellwetherListener() {
            @Override
            public void onSettle(Settle event) {
                settled.add(event);
            }
        };
        Engine.Settings settings =
                new Engine.Settings("test", Duration.ofMillis(500), Duration.ofSeconds(10), "here", listener);
        return new Engine(backend, time, time, settings);
    }

    /** Another process on the same store. */
    QueueService another() {
        CountingBackend link = new CountingBackend(model.another());
        QueueService other = new QueueService(engine(link));
        links.put(other, link);
        return other;
    }

    /** From now on nothing of what that process does reaches the store. */
    void kill(QueueService process) {
        CountingBackend link = Objects.requireNonNull(links.get(process));
        link.hints = false;
        link.before = request -> new BackendUnavailableException("dead", null);
    }

    WorkQueue<String> queue() {
        return queue(service);
    }

    WorkQueue<String> queue(QueueService of) {
        return of.queue("mails", Codecs.of(String.class));
    }

    void advance(Duration length) {
        time.advance(length);
    }

    void settle() {
        time.settle();
    }

    List<ClaimRequest> claims() {
        return backend.claims;
    }
}
