// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import static dev.bellwether.memory.Wishes.now;
import static dev.bellwether.memory.Wishes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Query;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeysTest {
    private final MemoryBackend backend = MemoryBackend.create();

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void everyByteMakesAKeyOfItsOwnInTheOrderOfUnsignedBytes() {
        Partition partition = new Partition(Bytes.of((byte) 0));
        for (int b = 255; b >= 0; b--) {
            now(backend.commit(Commit.of(put(key(partition, (byte) b), "v" + b, Expiry.NEVER))));
        }

        List<KvEntry> all = now(backend.read(
                        new Query.Range(key(partition, (byte) 0), key(partition, (byte) 0xff, (byte) 0), 1_000, false)))
                .entries();

        assertThat(all).hasSize(256);
        for (int b = 0; b < 256; b++) {
            assertThat(((KvEntry.Present) all.get(b)).value()).isEqualTo(Bytes.utf8("v" + b));
        }
    }

    @Test
    void aKeyAndItsPrefixAndTheSameNameElsewhereAreThreeEntries() {
        Partition one = new Partition(Bytes.utf8("one"));
        List<KvKey> keys = List.of(
                key(one, (byte) 1), key(one, (byte) 1, (byte) 0), key(new Partition(Bytes.utf8("other")), (byte) 1));
        for (KvKey key : keys) now(backend.commit(Commit.of(put(key, key.toString(), Expiry.NEVER))));

        for (KvKey key : keys) {
            assertThat(Wishes.get(backend, key))
                    .isInstanceOfSatisfying(
                            KvEntry.Present.class,
                            entry -> assertThat(entry.value()).isEqualTo(Bytes.utf8(key.toString())));
        }
    }

    @Test
    void theLongestNameIsKeptAndALongerOrEmptyOneRefused() {
        KvKey longest = KvKey.of(Bytes.wrap(new byte[2_048]));
        now(backend.commit(Commit.of(put(longest, "1", Expiry.NEVER))));

        assertThat(Wishes.get(backend, longest)).isInstanceOf(KvEntry.Present.class);
        assertThatThrownBy(() -> KvKey.of(Bytes.wrap(new byte[2_049]))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> KvKey.of(Bytes.EMPTY)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anEmptyValueIsPresentAndTheLargestIsNamedWhenExceeded_M3() {
        now(backend.commit(Commit.of(put("empty", ""))));
        int most = backend.capabilities().limits().maxValueBytes();

        assertThat(Wishes.get(backend, Wishes.key("empty"))).isInstanceOf(KvEntry.Present.class);
        assertThatThrownBy(() -> backend.commit(Commit.of(
                        new EntryMutation.Put(Wishes.key("large"), Bytes.wrap(new byte[most + 1]), Expiry.NEVER))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Integer.toString(most));
    }

    private static KvKey key(Partition partition, byte... name) {
        return new KvKey(partition, Bytes.of(name));
    }
}
