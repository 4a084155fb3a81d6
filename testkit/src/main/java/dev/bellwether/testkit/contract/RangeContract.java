// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a range gives where a backend has {@link Power#ORDERED_SCAN}, and that it is refused elsewhere. */
public abstract class RangeContract extends BackendContract {
    protected RangeContract() {}

    private KvKey at(int... name) {
        byte[] bytes = new byte[name.length];
        for (int i = 0; i < name.length; i++) bytes[i] = (byte) name[i];
        return new KvKey(partition(), Bytes.wrap(bytes));
    }

    /** Ascending: bytes are unsigned, and a prefix stands before what it begins. */
    private List<KvKey> ordered() {
        return List.of(at(0), at(0, 0), at(1), at(1, 255), at(127), at(128), at(128, 0), at(255), at(255, 255));
    }

    private void fill() {
        List<KvKey> shuffled = new ArrayList<>(ordered());
        Collections.reverse(shuffled);
        for (KvKey key : shuffled) committed(new Put(key, key.name(), Expiry.NEVER));
        committed(new Put(KvKey.of(name("elsewhere")), bytes("x"), Expiry.NEVER));
    }

    private Reading range(KvKey from, KvKey to, int limit, boolean reverse) {
        return read(new Query.Range(from, to, limit, reverse));
    }

    private void assertRange(Reading reading, List<KvKey> keys, boolean more) {
        assertThat(reading.entries()).extracting(entry -> entry.key()).isEqualTo(keys);
        assertThat(reading.more()).as("whether the limit cut it").isEqualTo(more);
    }

    private static List<KvKey> reversed(List<KvKey> keys) {
        List<KvKey> copy = new ArrayList<>(keys);
        Collections.reverse(copy);
        return copy;
    }

    @Test
    @Proves(Law.RANGES)
    void aRangeIsAnsweredOrRefusedAccordingToThePower() {
        if (can(Power.ORDERED_SCAN)) {
            assertRange(range(at(0), at(255), 10, false), List.of(), false);
        } else {
            assertRefusedAtOnce(() -> backend().read(new Query.Range(at(0), at(255), 10, false)));
        }
    }

    @Test
    @Proves(Law.RANGES)
    void aRangeIsInByteOrderFromInclusiveToExclusive() {
        if (!can(Power.ORDERED_SCAN)) return;
        fill();
        assertRange(range(at(0), at(255, 255, 0), 100, false), ordered(), false);
        assertRange(range(at(0), at(255, 255), 100, false), ordered().subList(0, 8), false);
        assertRange(range(at(0, 0), at(128), 100, false), ordered().subList(1, 5), false);
        assertRange(range(at(1), at(2), 100, false), ordered().subList(2, 4), false);
        assertRange(range(at(2), at(3), 100, false), List.of(), false);
        assertRange(range(at(3), at(3), 100, false), List.of(), false);
        assertRange(range(at(200), at(3), 100, false), List.of(), false);
    }

    @Test
    @Proves(Law.RANGES)
    void aReverseRangeBeginsAtTheEnd() {
        if (!can(Power.ORDERED_SCAN)) return;
        fill();
        assertRange(range(at(0), at(255, 255, 0), 100, true), reversed(ordered()), false);
        assertRange(range(at(0), at(255), 2, true), List.of(at(128, 0), at(128)), true);
    }

    @Test
    @Proves(Law.RANGES)
    void aLimitCutsAndSaysSo() {
        if (!can(Power.ORDERED_SCAN)) return;
        fill();
        assertRange(range(at(0), at(255, 255, 0), 4, false), ordered().subList(0, 4), true);
        assertRange(range(at(0), at(255, 255, 0), 9, false), ordered(), false);
        assertRange(range(at(0), at(255, 255, 0), 8, false), ordered().subList(0, 8), true);
    }

    @Test
    @Proves({Law.RANGES, Law.EXPIRY})
    void whatIsDeletedOrExpiredIsInNoRange() {
        if (!can(Power.ORDERED_SCAN)) return;
        fill();
        committed(new Delete(at(1), LONG));
        committed(new Delete(at(127), Duration.ZERO));
        committed(put(at(128), "x", Expiry.after(term())));
        pass(term());
        List<KvKey> left = new ArrayList<>(ordered());
        left.removeAll(List.of(at(1), at(127), at(128)));
        assertRange(range(at(0), at(255, 255, 0), 6, false), left, false);
    }
}
