// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Version;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Values under keys: reading, counting, expiry and remembered deletes. */
final class Entries {
    private Entries() {}

    static KvEntry look(Moment moment, KvKey key) {
        Slot slot = slot(moment, key);
        if (slot == null) return new KvEntry.Absent(key, Version.NONE);
        return slot.value() == null
                ? new KvEntry.Absent(key, slot.version())
                : new KvEntry.Present(key, slot.version(), slot.value(), slot.expiresAtMillis());
    }

    /** The value or the remembered delete, if its time has not passed. */
    private static @Nullable Slot slot(Moment moment, KvKey key) {
        Slot slot = moment.state().entries.get(key);
        return slot == null || slot.hasEnded(moment.nowMillis()) ? null : slot;
    }

    static @Nullable Bytes value(Moment moment, KvKey key) {
        Slot slot = slot(moment, key);
        return slot == null ? null : slot.value();
    }

    static Version version(Moment moment, KvKey key) {
        return look(moment, key).version();
    }

    static Reading keys(Moment moment, Query.Keys query) {
        if (query.arm()) query.keys().forEach(moment::arm);
        List<KvEntry> found =
                query.keys().stream().map(key -> look(moment, key)).toList();
        return new Reading(found, false, moment.time());
    }

    static Reading range(Moment moment, Query.Range query) {
        List<KvEntry> found = new ArrayList<>();
        for (KvKey key : between(moment, query).keySet()) {
            if (!(look(moment, key) instanceof KvEntry.Present present)) continue;
            if (found.size() == query.limit()) return new Reading(found, true, moment.time());
            found.add(present);
        }
        return new Reading(found, false, moment.time());
    }

    private static NavigableMap<KvKey, Slot> between(Moment moment, Query.Range query) {
        if (query.from().compareTo(query.to()) >= 0) return new TreeMap<>();
        NavigableMap<KvKey, Slot> part = moment.state().entries.subMap(query.from(), true, query.to(), false);
        return query.reverse() ? part.descendingMap() : part;
    }

    static Obstacle.EntryDiffers differs(Moment moment, int index, KvKey key, boolean orGet) {
        KvEntry entry = look(moment, key);
        if (!(entry instanceof KvEntry.Present present)) {
            return new Obstacle.EntryDiffers(
                    index, key, entry.version(), false, OptionalLong.empty(), Optional.empty());
        }
        Optional<Bytes> value = orGet ? Optional.of(present.value()) : Optional.empty();
        return new Obstacle.EntryDiffers(index, key, present.version(), true, present.expiresAtMillis(), value);
    }

    static @Nullable Obstacle obstacle(Moment moment, int index, EntryMutation mutation) {
        Bytes value = value(moment, mutation.key());
        if (mutation instanceof EntryMutation.Touch && value == null) {
            return new Obstacle.Unfit(index, "no value stands there to touch");
        }
        if (mutation instanceof EntryMutation.Count count && value != null) {
            OptionalLong stored = Counter.decode(value);
            if (stored.isEmpty()) return new Obstacle.Unfit(index, "the value is no counter");
            if (Counting.overflows(stored.getAsLong(), count)) {
                return new Obstacle.Unfit(index, "the counter would overflow");
            }
        }
        return null;
    }

    static Outcome apply(Moment moment, EntryMutation mutation, Version version) {
        KvKey key = mutation.key();
        Slot before = slot(moment, key);
        Bytes value = before == null ? null : before.value();
        Outcome outcome = Outcome.DONE;
        if (mutation instanceof EntryMutation.Put put) {
            store(moment, key, version, put.value(), put.expiry());
        } else if (mutation instanceof EntryMutation.Touch touch && value != null) {
            store(moment, key, version, value, touch.expiry());
        } else if (mutation instanceof EntryMutation.Count count) {
            long number = value == null ? count.operand() : Counting.next(Counting.stored(value), count);
            store(moment, key, version, Counter.encode(number), count.expiry());
            outcome = new Outcome.Counted(number);
        } else if (mutation instanceof EntryMutation.Delete delete) {
            long millis = Durations.millis(delete.remember());
            replace(moment, key, millis == 0 ? null : new Slot(version, null, endsAfter(moment, delete.remember())));
            outcome = new Outcome.Deleted(value != null);
        }
        moment.changed(key);
        return outcome;
    }

    private static void store(Moment moment, KvKey key, Version version, Bytes value, Expiry expiry) {
        Slot slot = new Slot(version, value, endsAt(moment, key, expiry));
        replace(moment, key, slot.hasEnded(moment.nowMillis()) ? null : slot);
    }

    private static void replace(Moment moment, KvKey key, @Nullable Slot slot) {
        if (slot == null) moment.state().entries.remove(key);
        else moment.state().entries.put(key, slot);
    }

    private static long endsAt(Moment moment, KvKey key, Expiry expiry) {
        if (expiry instanceof Expiry.After after) return endsAfter(moment, after.length());
        if (expiry instanceof Expiry.At at) return millisRoundedUp(at.moment());
        if (expiry instanceof Expiry.Never) return Slot.NEVER;
        Slot slot = slot(moment, key);
        return slot == null || slot.value() == null ? Slot.NEVER : slot.endsAtMillis();
    }

    private static long endsAfter(Moment moment, Duration length) {
        long millis = Durations.millis(length);
        return millis >= Durations.MAX_MILLIS ? Slot.NEVER : moment.nowMillis() + millis;
    }

    private static long millisRoundedUp(Instant instant) {
        if (instant.getEpochSecond() >= Durations.MAX_MILLIS / 1_000) return Slot.NEVER;
        if (instant.getEpochSecond() < 0) return 0;
        return instant.getEpochSecond() * 1_000 + (instant.getNano() + 999_999) / 1_000_000;
    }
}
