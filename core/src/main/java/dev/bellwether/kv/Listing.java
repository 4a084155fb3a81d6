// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.store.Entry;
import dev.bellwether.store.KeyRange;
import dev.bellwether.time.Deadline;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The entries of one range, page by page. For one thread and one use. */
final class Listing<K, V> implements Iterator<List<KvEntry>> {
    /*
     * Bounds
     * ------
     * A store's names begin with its prefix, which ends with a colon, so they lie between the prefix and the same bytes
     * ending with a semicolon. A prefix of keys ends before its successor: its bytes with the last one that is not 0xFF
     * raised by one and what follows cut. The cursor is the last name of a page: backwards it is the new end, exclusive as
     * it is; forwards it is the new start, which is inclusive, so the page's first entry is dropped when it is the cursor.
     */
    private static final int PAGE = 256;

    /*
     * Parts of records end with a mark that 0xFF would turn into a letter of the part itself: "a" with a zero behind it
     * begins with the bytes of "a". No part begins with 0xFF, so what follows whole parts lies before it.
     */
    private static final Bytes BEHIND_PARTS = Bytes.of((byte) 0xFF);

    private final TypedStore<K, V> store;
    private final boolean reversed;
    private final KvKey lowest;
    private KvKey from;
    private KvKey to;
    private boolean more = true;
    private @Nullable KvKey skipped;

    Listing(TypedStore<K, V> store, KeyRange<K> range) {
        store.ensureOrdered();
        this.store = store;
        this.reversed = range.isReversed();
        Bytes start = range.prefix().isEmpty() ? Bytes.EMPTY : store.keys().prefix(range.prefix());
        KvKey first = store.place(start);
        boolean byParts = !range.prefix().isEmpty() && store.keys().areInParts();
        Bytes end = byParts ? first.name().plus(BEHIND_PARTS) : successor(first.name());
        KvKey last = new KvKey(first.partition(), end);
        lowest = first;
        from = first;
        to = last;
        range.start().map(store::place).ifPresent(key -> {
            from = later(from, key);
            if (!range.isStartIncluded()) skipped = key;
        });
        range.end().map(store::place).ifPresent(key -> to = key.compareTo(to) < 0 ? key : to);
        refuseBackwards(range);
        more = from.compareTo(to) < 0;
    }

    private void refuseBackwards(KeyRange<K> range) {
        if (range.start().isEmpty() || range.end().isEmpty()) return;
        Bytes start = store.keys().encode(range.start().get());
        Bytes end = store.keys().encode(range.end().get());
        if (start.compareTo(end) > 0) {
            throw new IllegalArgumentException("store " + store.name() + ": the range ends before it starts: " + range
                    + "; reversed() turns a range around, the bounds stay");
        }
    }

    private static KvKey later(KvKey one, KvKey other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    private static Bytes successor(Bytes prefix) {
        int length = prefix.length();
        while (prefix.at(length - 1) == (byte) 0xFF) length--;
        byte[] next = new byte[length];
        prefix.asBuffer().get(0, next);
        next[length - 1]++;
        return Bytes.wrap(next);
    }

    @Override
    public boolean hasNext() {
        return more;
    }

    /** The next page, which may be empty. */
    @Override
    public List<KvEntry> next() {
        if (!more) throw new NoSuchElementException();
        Query query = new Query.Range(from, to, PAGE, reversed);
        Deadline deadline = store.deadline();
        Reading page = Step.join(
                store.engine(),
                store.engine()
                        .look(
                                "listing of store " + store.name(),
                                deadline,
                                () -> store.engine().backend().read(query)),
                deadline,
                false);
        List<KvEntry> entries = page.entries();
        KvKey drop = skipped;
        more = page.more() && !entries.isEmpty();
        if (more) goOnBehind(entries.get(entries.size() - 1).key());
        return entries.stream().filter(entry -> !entry.key().equals(drop)).toList();
    }

    private void goOnBehind(KvKey cursor) {
        if (reversed) {
            to = cursor;
            more = lowest.compareTo(to) < 0;
        } else {
            from = cursor;
            skipped = cursor;
        }
    }

    private Stream<List<KvEntry>> pages() {
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED | Spliterator.NONNULL), false);
    }

    Stream<Entry<K, V>> entries() {
        return pages().flatMap(Collection::stream).flatMap(entry -> typed(entry).stream());
    }

    /** Empty for what is no entry of this store's types. */
    private Optional<Entry<K, V>> typed(KvEntry entry) {
        K key;
        try {
            key = store.keyOf(entry.key());
        } catch (IllegalArgumentException anotherShape) {
            return Optional.empty();
        }
        Entry<K, V> typed = StoredEntry.of(store, key, entry);
        return typed.isPresent() ? Optional.of(typed) : Optional.empty();
    }

    long count() {
        return pages().mapToLong(List::size).sum();
    }

    long deleteAll() {
        int most = Math.max(
                1,
                Math.min(PAGE, store.engine().backend().capabilities().limits().maxOperations()));
        long deleted = 0;
        while (hasNext()) {
            List<KvKey> page = next().stream().map(KvEntry::key).toList();
            for (int i = 0; i < page.size(); i += most) {
                Deadline deadline = store.deadline();
                deleted += store.deleteAll(page.subList(i, Math.min(page.size(), i + most)), deadline)
                        .await(store.engine(), deadline);
            }
        }
        return deleted;
    }
}
