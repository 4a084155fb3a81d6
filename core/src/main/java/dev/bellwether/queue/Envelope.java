// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.queue;

import dev.bellwether.time.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What stands on the outside of a message. Immutable. */
public final class Envelope {
    private static final int MAX_PRIORITY = 63;
    private static final Envelope NOW = new Envelope(new Options());

    private final Options options;

    private static final class Options implements Cloneable {
        Duration delay = Duration.ZERO;

        @Nullable
        Instant due;

        @Nullable
        String dedupeKey;

        Duration dedupeWindow = Duration.ZERO;
        boolean replaces;
        int priority;

        @Nullable
        String group;

        Map<String, String> headers = Map.of();

        Options copy() {
            try {
                return (Options) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private Envelope(Options options) {
        this.options = options;
    }

    public static Envelope now() {
        return NOW;
    }

    public static Envelope in(Duration delay) {
        Options options = new Options();
        options.delay = Durations.notNegative("the delay of a message", delay);
        return new Envelope(options);
    }

    /** Due at this moment by the clock of this process; a moment that has passed means now. */
    public static Envelope at(Instant due) {
        Options options = new Options();
        options.due = Objects.requireNonNull(due, "the moment at which a message is due is null");
        return new Envelope(options);
    }

    /**
     * Within the window a second message with this key is not enqueued; the first one's id is returned. The key is held
     * until the window ends, also after the message was handled; it is free at once if the message dies or is cancelled.
     */
    public Envelope dedupe(String key, Duration window) {
        return dedupe(key, window, false);
    }

    /**
     * As {@link #dedupe}, but a first message that still waits takes the payload and the due time of this one, under its
     * own id.
     */
    public Envelope replace(String key, Duration window) {
        return dedupe(key, window, true);
    }

    private Envelope dedupe(String key, Duration window, boolean replaces) {
        Options changed = options.copy();
        changed.dedupeKey = named("the deduplication key", key);
        changed.dedupeWindow = Durations.positive("the deduplication window", window);
        changed.replaces = replaces;
        return new Envelope(changed);
    }

    /**
     * Lower numbers first (0); a low one never starves, since each step costs a bounded time of waiting only.
     *
     * @param priority 0 to 63
     */
    public Envelope priority(int priority) {
        if (priority < 0 || priority > MAX_PRIORITY) {
            throw new IllegalArgumentException(
                    "the priority is " + priority + "; it must lie between 0, first, and " + MAX_PRIORITY);
        }
        Options changed = options.copy();
        changed.priority = priority;
        return new Envelope(changed);
    }

    /** Messages of one group are handled one after the other, in the order of enqueueing; other groups do not wait. */
    public Envelope group(String name) {
        Options changed = options.copy();
        changed.group = named("the group", name);
        return new Envelope(changed);
    }

    public Envelope header(String name, String value) {
        Options changed = options.copy();
        changed.headers = new LinkedHashMap<>(options.headers);
        changed.headers.put(
                named("the name of a header", name),
                Objects.requireNonNull(value, () -> "the value of header " + name + " is null"));
        return new Envelope(changed);
    }

    private static String named(String what, String name) {
        if (name.isEmpty()) throw new IllegalArgumentException(what + " is empty; give it at least one letter");
        return name;
    }

    /** How long after this moment the message is due; zero if it is due then. */
    public Duration delayFrom(Instant now) {
        Instant due = options.due;
        if (due == null) return options.delay;
        return due.isAfter(now) ? Duration.between(now, due) : Duration.ZERO;
    }

    public Optional<String> dedupeKey() {
        return Optional.ofNullable(options.dedupeKey);
    }

    /** Zero without a key. */
    public Duration dedupeWindow() {
        return options.dedupeWindow;
    }

    /** Whether a waiting message with the same key is replaced. */
    public boolean isReplacing() {
        return options.replaces;
    }

    public int priority() {
        return options.priority;
    }

    public Optional<String> group() {
        return Optional.ofNullable(options.group);
    }

    public Map<String, String> headers() {
        return Collections.unmodifiableMap(options.headers);
    }
}
