// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.CommitReply.Committed;
import dev.bellwether.spi.RequestId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Committed requests by id, for as long as a copy may arrive. Under the store's lock. */
final class RequestMemory {
    static final long KEPT_MILLIS = 30_000;

    private record Kept(RequestId id, long untilMillis) {}

    private final Map<RequestId, Committed> replies = new HashMap<>();
    private final ArrayDeque<Kept> order = new ArrayDeque<>();

    @Nullable
    Committed reply(RequestId id, long nowMillis) {
        forget(nowMillis);
        return replies.get(id);
    }

    void remember(RequestId id, Committed reply, long nowMillis) {
        forget(nowMillis);
        replies.put(id, reply);
        order.add(new Kept(id, nowMillis + KEPT_MILLIS));
    }

    void forget(long nowMillis) {
        for (Kept oldest = order.peek(); oldest != null && oldest.untilMillis <= nowMillis; oldest = order.peek()) {
            order.remove();
            replies.remove(oldest.id);
        }
    }

    boolean isEmpty() {
        return order.isEmpty();
    }
}
