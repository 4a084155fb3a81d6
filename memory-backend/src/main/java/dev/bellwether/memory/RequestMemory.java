// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.RequestId;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was answered to committed requests of late (law S4). Needs the store's lock. */
final class RequestMemory extends Expiring {
    static final Duration SPAN = Duration.ofSeconds(30);

    /**
     * Beyond this the oldest is forgotten before its time. Replies never get lost on the way within one process, so that
     * only a guard or a test that repeats a request on purpose could miss it, after half a million commits.
     */
    static final int MOST = 500_000;

    private record Remembered(CommitReply reply, long until) {}

    private final Map<RequestId, Remembered> replies = new LinkedHashMap<>();
    private final Expirations expirations;

    RequestMemory(Expirations expirations) {
        this.expirations = expirations;
    }

    @Nullable
    CommitReply recall(@Nullable RequestId id, Moment moment) {
        if (id == null) return null;
        Remembered known = replies.get(id);
        return known == null || moment.isPast(known.until()) ? null : known.reply();
    }

    void remember(@Nullable RequestId id, CommitReply reply, Moment moment) {
        if (id == null) return;
        long until = moment.after(SPAN);
        replies.remove(id);
        replies.put(id, new Remembered(reply, until));
        forget(moment);
        expirations.scheduleBy(this, until, moment);
    }

    void clear() {
        replies.clear();
    }

    @Override
    long sweep(Moment moment) {
        forget(moment);
        return replies.isEmpty() ? GONE : oldest().until();
    }

    /** A few at a time, more than come in. */
    private void forget(Moment moment) {
        for (int left = 8; left > 0 && !replies.isEmpty(); left--) {
            if (replies.size() <= MOST && !moment.isPast(oldest().until())) return;
            Iterator<Remembered> oldest = replies.values().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    private Remembered oldest() {
        return replies.values().iterator().next();
    }
}
