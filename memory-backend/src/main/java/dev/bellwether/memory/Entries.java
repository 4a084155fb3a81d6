// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.error.RejectedException;
import dev.bellwether.memory.MemoryBackend.HintList;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.EntryMutation.Count;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Overflow;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.EntryMutation.Touch;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Version;
import dev.bellwether.time.Durations;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The entries. Changes are made under the store's lock; single entries are read without it. */
final class Entries {
    /** An entry or a remembered delete; immutable, so that a reader without the lock sees it whole. */
    private record Slot(KvEntry entry, long endMillis) {
        boolean isOver(long nowMillis) {
            return endMillis <= nowMillis;
        }
    }

    private final ConcurrentHashMap<KvKey, Slot> slots = new ConcurrentHashMap<>();

    /** The names of a partition in order, from its first range read on: who reads no ranges pays nothing. */
    private final Map<Partition, NavigableMap<Bytes, KvKey>> ordered = new HashMap<>();

    private final Expirations expirations;
    private final Interest interest;
    private final Quota quota;

    Entries(Expirations expirations, Interest interest, Quota quota) {
        this.expirations = expirations;
        this.interest = interest;
        this.quota = quota;
    }

    // ---- reading

    KvEntry read(KvKey key, long nowMillis) {
        Slot slot = slots.get(key);
        return slot == null || slot.isOver(nowMillis) ? new KvEntry.Absent(key, Version.NONE) : slot.entry;
    }

    KvEntry.@Nullable Present present(KvKey key, long nowMillis) {
        Slot slot = slots.get(key);
        return slot != null && slot.entry instanceof KvEntry.Present present && !slot.isOver(nowMillis)
                ? present
                : null;
    }

    private Version version(KvKey key, long nowMillis) {
        Slot slot = slots.get(key);
        return slot == null || slot.isOver(nowMillis) ? Version.NONE : slot.entry.version();
    }

    /** One more than asked for, if there are more. */
    List<KvEntry> range(Query.Range range, long nowMillis) {
        List<KvEntry> found = new ArrayList<>();
        if (range.from().compareTo(range.to()) >= 0) return found;
        NavigableMap<Bytes, KvKey> part = names(range.from().partition())
                .subMap(range.from().name(), true, range.to().name(), false);
        for (KvKey key : (range.reverse() ? part.descendingMap() : part).values()) {
            KvEntry.Present present = present(key, nowMillis);
            if (present != null) found.add(present);
            if (found.size() > range.limit()) break;
        }
        return found;
    }

    private NavigableMap<Bytes, KvKey> names(Partition partition) {
        return ordered.computeIfAbsent(partition, unknown -> {
            NavigableMap<Bytes, KvKey> names = new TreeMap<>();
            for (KvKey key : slots.keySet()) {
                if (key.partition().equals(partition)) names.put(key.name(), key);
            }
            return names;
        });
    }

    // ---- judging

    /** What stands in the way of a check, or null. */
    @Nullable
    Obstacle judge(int index, Check.Is is, long nowMillis) {
        KvEntry.Present present = present(is.key(), nowMillis);
        return present != null && present.version().equals(is.version())
                ? null
                : differs(index, is.key(), is.orGet(), nowMillis);
    }

    @Nullable
    Obstacle judge(int index, Check.Vacant vacant, long nowMillis) {
        return present(vacant.key(), nowMillis) == null
                ? null
                : differs(index, vacant.key(), vacant.orGet(), nowMillis);
    }

    private Obstacle differs(int index, KvKey key, boolean withValue, long nowMillis) {
        KvEntry entry = read(key, nowMillis);
        if (entry instanceof KvEntry.Present present) {
            return new Obstacle.EntryDiffers(
                    index,
                    key,
                    present.version(),
                    true,
                    present.expiresAtMillis(),
                    withValue ? Optional.of(present.value()) : Optional.empty());
        }
        return new Obstacle.EntryDiffers(index, key, entry.version(), false, OptionalLong.empty(), Optional.empty());
    }

    @Nullable
    Obstacle judge(int index, EntryMutation mutation, long nowMillis) {
        if (mutation instanceof Touch touch && present(touch.key(), nowMillis) == null) {
            return new Obstacle.Unfit(
                    index, "no value stands under " + touch.key().name() + ", so it has no expiry to change");
        }
        if (mutation instanceof Count count) {
            KvEntry.Present present = present(count.key(), nowMillis);
            if (present == null) return null;
            OptionalLong number = Counter.decode(present.value());
            if (number.isEmpty()) {
                return new Obstacle.Unfit(
                        index, "what stands under " + count.key().name() + " is no counter");
            }
            if (count.op() == EntryMutation.Op.ADD
                    && count.overflow() == Overflow.FAIL
                    && overflows(number.getAsLong(), count.operand())) {
                return new Obstacle.Unfit(
                        index,
                        "the counter " + count.key().name() + " stands at " + number.getAsLong() + "; adding "
                                + count.operand() + " leaves 64 bits");
            }
        }
        return null;
    }

    private static boolean overflows(long number, long operand) {
        long sum = number + operand;
        return ((number ^ sum) & (operand ^ sum)) < 0;
    }

    /** The highest version that the mutations would replace. */
    long highest(EntryMutation mutation, long nowMillis) {
        return version(mutation.key(), nowMillis).value();
    }

    /** What a put would add, for the quota. */
    void reserve(Put put, long nowMillis) {
        KvEntry.Present present = present(put.key(), nowMillis);
        long more =
                put.value().length() - (present == null ? 0L : present.value().length());
        String refusal = quota.refusal(
                present == null ? 1 : 0,
                present == null ? more + (long) put.key().name().length() : more);
        if (refusal != null)
            throw new RejectedException("cannot put " + put.key().name() + ": " + refusal, null);
    }

    // ---- changing

    Outcome apply(EntryMutation mutation, Version version, long nowMillis, HintList hints) {
        KvKey key = mutation.key();
        KvEntry.Present before = present(key, nowMillis);
        Outcome outcome = Outcome.DONE;
        if (mutation instanceof Put put) {
            set(key, put.value(), version, end(put.expiry(), before, nowMillis), nowMillis);
        } else if (mutation instanceof Touch touch && before != null) {
            set(key, before.value(), version, end(touch.expiry(), before, nowMillis), nowMillis);
        } else if (mutation instanceof Count count) {
            long number = counted(count, before);
            set(key, Counter.encode(number), version, end(count.expiry(), before, nowMillis), nowMillis);
            outcome = new Outcome.Counted(number);
        } else if (mutation instanceof Delete delete) {
            delete(delete, version, nowMillis);
            outcome = new Outcome.Deleted(before != null);
        }
        interest.changed(key, hints);
        return outcome;
    }

    private static long counted(Count count, KvEntry.@Nullable Present before) {
        if (before == null) return count.operand();
        long number = Counter.decode(before.value()).orElseThrow();
        return switch (count.op()) {
            case MIN -> Math.min(number, count.operand());
            case MAX -> Math.max(number, count.operand());
            case ADD ->
                count.overflow() == Overflow.SATURATE && overflows(number, count.operand())
                        ? (number < 0 ? Long.MIN_VALUE : Long.MAX_VALUE)
                        : number + count.operand();
        };
    }

    private static long end(Expiry expiry, KvEntry.@Nullable Present before, long nowMillis) {
        if (expiry instanceof Expiry.After after) {
            long length = Durations.millis(after.length());
            return length >= Durations.MAX_MILLIS ? Expirations.NEVER : nowMillis + length;
        }
        if (expiry instanceof Expiry.At at) {
            long millis = at.moment().getEpochSecond() > Durations.MAX_MILLIS / 1_000
                    ? Expirations.NEVER
                    : at.moment().getEpochSecond() < 0 ? 0 : at.moment().toEpochMilli();
            return Math.max(0, millis);
        }
        if (expiry instanceof Expiry.Keep && before != null) {
            return before.expiresAtMillis().orElse(Expirations.NEVER);
        }
        return Expirations.NEVER;
    }

    private void set(KvKey key, Bytes value, Version version, long endMillis, long nowMillis) {
        if (endMillis <= nowMillis) {
            replace(key, null);
            return;
        }
        OptionalLong expires = endMillis == Expirations.NEVER ? OptionalLong.empty() : OptionalLong.of(endMillis);
        replace(key, new Slot(new KvEntry.Present(key, version, value, expires), endMillis));
    }

    private void delete(Delete delete, Version version, long nowMillis) {
        long remember = Durations.millis(delete.remember());
        replace(
                delete.key(),
                remember == 0 ? null : new Slot(new KvEntry.Absent(delete.key(), version), nowMillis + remember));
    }

    private void replace(KvKey key, @Nullable Slot slot) {
        Slot before = slot == null ? slots.remove(key) : slots.put(key, slot);
        if (before != null) {
            expirations.remove(key, before.endMillis);
            quota.give(before.entry);
        }
        if (slot != null) {
            expirations.add(key, slot.endMillis);
            quota.take(slot.entry);
        }
        if (!ordered.isEmpty()) {
            NavigableMap<Bytes, KvKey> names = ordered.get(key.partition());
            if (names != null && slot == null) names.remove(key.name());
            else if (names != null) names.put(key.name(), key);
        }
    }

    /** Called when the second in which the key may have ended is over. */
    void reclaim(KvKey key, long nowMillis) {
        Slot slot = slots.get(key);
        if (slot != null && slot.isOver(nowMillis)) replace(key, null);
    }

    long size() {
        return slots.mappingCount();
    }

    void clear() {
        slots.clear();
        ordered.clear();
    }

    List<KvKey> keys() {
        return Collections.list(slots.keys());
    }
}
