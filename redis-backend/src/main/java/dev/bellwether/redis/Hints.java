// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Subscription;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Turns pushes of the server into hints. Called on event loops; thread-safe. */
final class Hints {
    private static final System.Logger LOG = System.getLogger("dev.bellwether.redis");

    private static final int OWNER_BYTES = 16;

    private final List<Consumer<? super Hint>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicLong generation = new AtomicLong();

    Subscription listen(Consumer<? super Hint> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** Pushes were or may have been missed. */
    void doubt() {
        tell(new Hint.Doubt(generation.incrementAndGet()));
    }

    /** A push as the driver hands it over: invalidations of tracked keys, and messages to our inbox. */
    void push(String type, List<Object> content) {
        if (type.equals("invalidate")) {
            invalidated(content.size() > 1 ? content.get(1) : null);
        } else if (type.equals("message") || type.equals("smessage")) {
            byte[] message = bytes(content.get(content.size() - 1));
            if (message != null && message.length > 1) message(message);
        }
    }

    private void invalidated(@Nullable Object keys) {
        if (!(keys instanceof List<?> list)) {
            doubt(); // the whole database was flushed
            return;
        }
        for (Object item : list) {
            byte[] key = bytes(item);
            Keys.Parsed parsed = key == null ? null : Keys.parse(key);
            if (parsed == null) continue;
            if (parsed.kind().equals(Keys.ENTRY)) tell(new Hint.Changed(parsed.entry()));
            if (parsed.kind().equals(Keys.HOLDS)) tell(new Hint.Freed(parsed.lease()));
        }
    }

    private void message(byte[] message) {
        boolean passed = message[0] == 'P' && message.length > OWNER_BYTES + 1;
        int keyAt = passed ? OWNER_BYTES + 1 : 1;
        Keys.Parsed parsed = Keys.parse(Arrays.copyOfRange(message, keyAt, message.length));
        if (parsed == null) return;
        if (passed) tell(new Hint.Passed(parsed.lease(), Keys.owner(Arrays.copyOfRange(message, 1, keyAt))));
        else if (message[0] == 'D') tell(new Hint.Due(parsed.queue()));
    }

    private void tell(Hint hint) {
        for (Consumer<? super Hint> listener : listeners) {
            try {
                listener.accept(hint);
            } catch (RuntimeException failure) {
                LOG.log(
                        System.Logger.Level.ERROR,
                        "a listener failed on " + hint + "; it will get further hints",
                        failure);
            }
        }
    }

    private static byte @Nullable [] bytes(@Nullable Object item) {
        if (item instanceof ByteBuffer buffer) {
            byte[] copy = new byte[buffer.remaining()];
            buffer.duplicate().get(copy);
            return copy;
        }
        if (item instanceof byte[] array) return array;
        return item instanceof String text ? text.getBytes(StandardCharsets.ISO_8859_1) : null;
    }
}
