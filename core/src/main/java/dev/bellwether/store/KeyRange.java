// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.store;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keys between two bounds, in one direction or the other. Immutable.
 *
 * <p>A cursor is the last key seen: {@code KeyRange.after(key)} goes on behind it, {@code KeyRange.before(key).reversed()}
 * in the other direction.
 */
public final class KeyRange<K> {
    private final List<Object> prefix;
    private final @Nullable K start;
    private final boolean startIncluded;
    private final @Nullable K end;
    private final boolean reversed;

    private KeyRange(List<Object> prefix, @Nullable K start, boolean startIncluded, @Nullable K end, boolean reversed) {
        this.prefix = prefix;
        this.start = start;
        this.startIncluded = startIncluded;
        this.end = end;
        this.reversed = reversed;
    }

    public static <K> KeyRange<K> all() {
        return new KeyRange<>(List.of(), null, true, null, false);
    }

    /** This key and what comes after it. */
    public static <K> KeyRange<K> from(K first) {
        return new KeyRange<>(List.of(), first, true, null, false);
    }

    /** What comes after this key. */
    public static <K> KeyRange<K> after(K last) {
        return new KeyRange<>(List.of(), last, false, null, false);
    }

    /** What comes before this key. */
    public static <K> KeyRange<K> before(K end) {
        return new KeyRange<>(List.of(), null, true, end, false);
    }

    /** From the first inclusive to the other exclusive; empty if they are equal. */
    public static <K> KeyRange<K> between(K from, K to) {
        return new KeyRange<>(List.of(), from, true, to, false);
    }

    /**
     * Keys that begin so: strings with this text (one part), records whose first components are these.
     *
     * <p>The parts are checked against the store's key type when the range is used.
     */
    public static <K> KeyRange<K> startingWith(Object... parts) {
        if (parts.length == 0) throw new IllegalArgumentException("a prefix needs at least one part; all() has none");
        return new KeyRange<>(List.of(parts), null, true, null, false);
    }

    /** The part of this range that comes after the key. */
    public KeyRange<K> andAfter(K last) {
        return new KeyRange<>(prefix, last, false, end, reversed);
    }

    /** The part of this range that comes before the key. */
    public KeyRange<K> andBefore(K end) {
        return new KeyRange<>(prefix, start, startIncluded, end, reversed);
    }

    /** The same keys, the last one first. */
    public KeyRange<K> reversed() {
        return new KeyRange<>(prefix, start, startIncluded, end, !reversed);
    }

    public List<Object> prefix() {
        return prefix;
    }

    public Optional<K> start() {
        return Optional.ofNullable(start);
    }

    /** Whether the range contains its start; without a start it makes no difference. */
    public boolean isStartIncluded() {
        return startIncluded;
    }

    /** Never contained. */
    public Optional<K> end() {
        return Optional.ofNullable(end);
    }

    public boolean isReversed() {
        return reversed;
    }

    @Override
    public String toString() {
        return "keys" + (prefix.isEmpty() ? "" : " starting with " + prefix)
                + (start == null ? "" : (startIncluded ? " from " : " after ") + start)
                + (end == null ? "" : " before " + end) + (reversed ? ", reversed" : "");
    }
}
