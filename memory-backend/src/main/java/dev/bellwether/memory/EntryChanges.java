// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Version;
import dev.bellwether.time.Durations;
import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What the mutations of entries do. Needs the store's lock. */
final class EntryChanges {
    private final Entries entries;

    EntryChanges(Entries entries) {
        this.entries = entries;
    }

    /** What stands in the way of the mutation, or null. */
    @Nullable
    Obstacle obstacle(int index, EntryMutation mutation, Moment moment) {
        if (mutation instanceof EntryMutation.Touch touch) {
            boolean stands = entries.value(touch.key(), moment.millis()) != null;
            return stands
                    ? null
                    : new Obstacle.Unfit(
                            index, "no value stands under " + touch.key().name());
        }
        if (mutation instanceof EntryMutation.Count count) return obstacle(index, count, moment);
        return null;
    }

    Outcome apply(EntryMutation mutation, long version, Moment moment) {
        if (mutation instanceof EntryMutation.Put put) {
            store(put.key(), put.value(), put.expiry(), version, moment);
            return Outcome.DONE;
        }
        if (mutation instanceof EntryMutation.Delete delete) return delete(delete, version, moment);
        if (mutation instanceof EntryMutation.Count count) return count(count, version, moment);
        EntryMutation.Touch touch = (EntryMutation.Touch) mutation;
        store(touch.key(), present(touch.key(), moment).value(), touch.expiry(), version, moment);
        return Outcome.DONE;
    }

    private Outcome delete(EntryMutation.Delete delete, long version, Moment moment) {
        boolean existed = entries.value(delete.key(), moment.millis()) != null;
        if (delete.remember().isZero()) {
            entries.remove(delete.key(), moment);
        } else {
            KvEntry tombstone = new KvEntry.Absent(delete.key(), new Version(version));
            entries.put(tombstone, moment.millis() + Durations.millis(delete.remember()), moment);
        }
        return new Outcome.Deleted(existed);
    }

    private Outcome count(EntryMutation.Count count, long version, Moment moment) {
        KvEntry.Present present = entries.value(count.key(), moment.millis());
        long number = present == null ? count.operand() : sum(count, number(present));
        store(count.key(), Counter.encode(number), count.expiry(), version, moment);
        return new Outcome.Counted(number);
    }

    private void store(KvKey key, Bytes value, Expiry expiry, long version, Moment moment) {
        long end = endsAtMillis(key, expiry, moment);
        if (end <= moment.millis()) {
            entries.remove(key, moment);
            return;
        }
        OptionalLong shown = end == Slot.NEVER ? OptionalLong.empty() : OptionalLong.of(end);
        entries.put(new KvEntry.Present(key, new Version(version), value, shown), end, moment);
    }

    private long endsAtMillis(KvKey key, Expiry expiry, Moment moment) {
        if (expiry instanceof Expiry.After after) {
            long length = Durations.millis(after.length());
            return length == Durations.MAX_MILLIS ? Slot.NEVER : moment.millis() + length;
        }
        if (expiry instanceof Expiry.At at) return millis(at.moment());
        if (expiry instanceof Expiry.Never) return Slot.NEVER;
        KvEntry.Present kept = entries.value(key, moment.millis());
        return kept == null ? Slot.NEVER : kept.expiresAtMillis().orElse(Slot.NEVER);
    }

    private static long millis(Instant moment) {
        if (moment.getEpochSecond() < 0) return 0;
        if (moment.getEpochSecond() >= Durations.MAX_MILLIS / 1_000) return Slot.NEVER;
        return moment.getEpochSecond() * 1_000 + (moment.getNano() + 999_999) / 1_000_000;
    }

    private KvEntry.Present present(KvKey key, Moment moment) {
        KvEntry.Present present = entries.value(key, moment.millis());
        if (present == null) throw new IllegalStateException("the entry was there when the commit was checked: " + key);
        return present;
    }

    private @Nullable Obstacle obstacle(int index, EntryMutation.Count count, Moment moment) {
        KvEntry.Present present = entries.value(count.key(), moment.millis());
        if (present == null) return null;
        OptionalLong number = Counter.decode(present.value());
        if (number.isEmpty()) {
            return new Obstacle.Unfit(index, "the value under " + count.key().name() + " is no counter");
        }
        if (count.overflow() != EntryMutation.Overflow.FAIL || !overflows(count, number.getAsLong())) return null;
        return new Obstacle.Unfit(
                index,
                "adding " + count.operand() + " to the " + number.getAsLong() + " under "
                        + count.key().name() + " leaves 64 bits");
    }

    private static long number(KvEntry.Present present) {
        return Counter.decode(present.value()).orElseThrow();
    }

    private static boolean overflows(EntryMutation.Count count, long number) {
        if (count.op() != EntryMutation.Op.ADD) return false;
        long sum = number + count.operand();
        return ((number ^ sum) & (count.operand() ^ sum)) < 0;
    }

    private static long sum(EntryMutation.Count count, long number) {
        if (count.op() == EntryMutation.Op.MIN) return Math.min(number, count.operand());
        if (count.op() == EntryMutation.Op.MAX) return Math.max(number, count.operand());
        if (count.overflow() == EntryMutation.Overflow.SATURATE && overflows(count, number)) {
            return count.operand() > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
        }
        return number + count.operand();
    }
}
