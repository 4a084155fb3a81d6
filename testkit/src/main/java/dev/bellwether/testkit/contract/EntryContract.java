// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.EntryMutation.Touch;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Version;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an entry is: its versions, its end, its name and its size. */
public abstract class EntryContract extends BackendContract {
    private static final int FIVE_MEGABYTES = 5 << 20;
    private static final int MOST_TRIED = 64 << 20;

    protected EntryContract() {}

    @Test
    @Proves(Law.VERSIONS)
    void versionsGrowAcrossPutTouchCountAndPutAgain() {
        KvKey key = key("k");
        Version version = Version.NONE;
        version = later(version, put(key, "a"));
        version = later(version, put(key, "a"));
        version = later(version, new Touch(key, Expiry.after(LONG)));
        version = later(version, put(key, "b", Expiry.KEEP));
        assertThat(present(key).version()).isEqualTo(version);
    }

    @Test
    @Proves(Law.VERSIONS)
    void versionsGrowAcrossARememberedDelete() {
        KvKey key = key("k");
        Version version = later(Version.NONE, put(key, "a"));
        version = later(version, new Delete(key, LONG));
        assertThat(absent(key).version()).isEqualTo(version);
        later(version, put(key, "b"));
    }

    @Test
    @Proves(Law.VERSIONS)
    void versionsGrowAcrossAForgottenDelete() {
        KvKey key = key("k");
        Version version = later(Version.NONE, put(key, "a"));
        committed(new Delete(key, Duration.ZERO));
        pass(MILLI);
        later(version, put(key, "b"));
    }

    @Test
    @Proves(Law.VERSIONS)
    void versionsGrowAcrossExpiry() {
        KvKey key = key("k");
        Version version = later(Version.NONE, put(key, "a", Expiry.after(term())));
        pass(term());
        later(version, put(key, "b"));
    }

    @Test
    @Proves(Law.VERSIONS)
    void allChangesOfOneCommitShareItsVersion() {
        committed(put(key("old"), "x"));
        Version version = committed(put(key("a"), "1"), put(key("old"), "2"), new Delete(key("b"), LONG))
                .version();
        for (String label : List.of("a", "old", "b")) {
            assertThat(read(key(label)).version()).as(label).isEqualTo(version);
        }
    }

    private Version later(Version before, Mutation mutation) {
        Version version = committed(mutation).version();
        assertThat(version).as("the version after " + mutation).isGreaterThan(before);
        return version;
    }

    @Test
    @Proves(Law.TOMBSTONES)
    void aRememberedDeleteIsForgottenWhenItsTimeEnds() {
        KvKey key = key("k");
        committed(put(key, "a"));
        Version version = committed(new Delete(key, term())).version();
        runOut(term(), () -> assertThat(absent(key).version()).isEqualTo(version));
        assertThat(absent(key).version()).isEqualTo(Version.NONE);
    }

    @Test
    @Proves(Law.TOMBSTONES)
    void aDeleteOfWhatNeverWasIsRememberedToo() {
        Outcome.Deleted nothing = outcome(Outcome.Deleted.class, new Delete(key("k"), LONG));
        assertThat(nothing.existed()).isFalse();
        assertThat(absent(key("k")).version()).isGreaterThan(Version.NONE);
    }

    @Test
    @Proves(Law.TOMBSTONES)
    void aDeleteWithoutMemoryRemovesValueAndTombstone() {
        KvKey key = key("k");
        committed(put(key, "a"));
        assertThat(outcome(Outcome.Deleted.class, new Delete(key, LONG)).existed())
                .isTrue();
        assertThat(outcome(Outcome.Deleted.class, new Delete(key, Duration.ZERO))
                        .existed())
                .isFalse();
        assertThat(absent(key).version()).isEqualTo(Version.NONE);
    }

    @Test
    @Proves(Law.EXPIRY)
    void anEntryIsAbsentFromExactlyItsTime() {
        KvKey key = key("k");
        committed(put(key, "a", Expiry.after(term())));
        assertThat(present(key).expiresAtMillis()).as("the end").isPresent();
        runOut(term(), () -> assertValue(key, "a"));
        assertThat(absent(key).version()).as("an expiry is not remembered").isEqualTo(Version.NONE);
    }

    @Test
    @Proves(Law.EXPIRY)
    void whatHasExpiredIsVacantForChecksAndMutations() {
        KvKey key = key("k");
        committed(put(key, "a", Expiry.after(term())));
        Version version = present(key).version();
        pass(term());
        obstacle(Obstacle.Unfit.class, new Touch(key, Expiry.NEVER));
        Mutation blank = put(key("other"), "x");
        obstacle(Obstacle.EntryDiffers.class, commit(List.of(new Check.Is(key, version, true)), blank));
        committed(commit(List.of(new Check.Vacant(key, false)), blank));
        assertThat(outcome(Outcome.Deleted.class, new Delete(key, Duration.ZERO))
                        .existed())
                .isFalse();
    }

    @Test
    @Proves(Law.EXPIRY)
    void aZeroLengthAndAMomentThatHasPassedLeaveNothing() {
        KvKey key = key("k");
        for (Expiry past :
                List.of(Expiry.after(Duration.ZERO), new Expiry.At(Instant.EPOCH), new Expiry.At(Instant.MIN))) {
            committed(put(key, "a"));
            committed(put(key, "b", past));
            assertThat(absent(key).version()).as("after " + past).isEqualTo(Version.NONE);
            committed(put(key, "a"));
            committed(new Touch(key, past));
            absent(key);
        }
    }

    @Test
    @Proves(Law.EXPIRY)
    void aFractionOfAMillisecondIsRoundedUp() {
        KvKey key = key("k");
        long now =
                committed(put(key, "a", Expiry.after(LONG.plusNanos(1)))).now().micros();
        long end = present(key).expiresAtMillis().orElseThrow();
        assertThat(end - Math.floorDiv(now, 1_000)).isBetween(LONG.toMillis() - 50, LONG.toMillis() + 1);
        if (exact()) assertThat(end - Math.floorDiv(now, 1_000)).isEqualTo(LONG.toMillis() + 1);
    }

    @Test
    @Proves(Law.EXPIRY)
    void aMomentIsKeptToTheMillisecond() {
        KvKey key = key("k");
        long now = committed(put(key, "x")).now().micros() / 1_000;
        Instant end = Instant.ofEpochMilli(now).plus(LONG);
        committed(put(key, "a", new Expiry.At(end)));
        assertThat(present(key).expiresAtMillis()).hasValue(end.toEpochMilli());
    }

    @Test
    @Proves(Law.FOREVER)
    void centuriesAndEternitiesAreKept() {
        KvKey key = key("k");
        for (Expiry far : List.of(
                Expiry.after(Duration.ofDays(300 * 365L)),
                Expiry.after(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)),
                Expiry.after(Duration.ofMillis(Long.MAX_VALUE)),
                new Expiry.At(Instant.MAX),
                Expiry.NEVER)) {
            committed(put(key, "a", far));
            assertValue(key, "a");
            committed(new Touch(key, far));
            assertValue(key, "a");
        }
        committed(new Delete(key, Duration.ofSeconds(Long.MAX_VALUE)));
        assertThat(absent(key).version()).isGreaterThan(Version.NONE);
    }

    @Test
    @Proves(Law.KEEP)
    void keepLeavesTheEndAsItStands() {
        KvKey key = key("k");
        committed(put(key, "a", Expiry.after(LONG)));
        KvEntry.Present before = present(key);
        committed(put(key, "b", Expiry.KEEP));
        assertThat(present(key).expiresAtMillis()).isEqualTo(before.expiresAtMillis());
        committed(new Touch(key, Expiry.KEEP));
        assertThat(present(key).expiresAtMillis()).isEqualTo(before.expiresAtMillis());
        committed(put(key, "c"));
        assertThat(present(key).expiresAtMillis()).as("Never").isEmpty();
    }

    @Test
    @Proves(Law.KEEP)
    void keepWhereNothingStandsIsNever() {
        committed(put(key("new"), "a", Expiry.KEEP), new Delete(key("gone"), LONG));
        committed(put(key("gone"), "b", Expiry.KEEP));
        assertThat(present(key("new")).expiresAtMillis()).isEmpty();
        assertThat(present(key("gone")).expiresAtMillis())
                .as("the time of the tombstone is not kept")
                .isEmpty();
    }

    @Test
    @Proves(Law.NAMES)
    void everyByteMakesAName() {
        List<Mutation> puts = new ArrayList<>();
        List<KvKey> keys = new ArrayList<>();
        for (int b = 0; b < 256; b++) {
            KvKey key = new KvKey(partition(), Bytes.of((byte) b));
            keys.add(key);
            puts.add(new Put(key, Bytes.of((byte) b, (byte) 7), Expiry.NEVER));
        }
        committed(commit(List.of(), puts.toArray(Mutation[]::new)));
        List<KvEntry> entries = read(new Query.Keys(keys, false)).entries();
        for (int b = 0; b < 256; b++) {
            assertThat(entries.get(b)).as("the name of byte " + b).isInstanceOf(KvEntry.Present.class);
            assertThat(((KvEntry.Present) entries.get(b)).value()).isEqualTo(Bytes.of((byte) b, (byte) 7));
        }
    }

    @Test
    @Proves(Law.NAMES)
    void awkwardNamesAndPartitionsAreDifferentEntries() {
        Bytes long2048 = Bytes.wrap(new byte[2_048 - name("").length()]);
        List<Bytes> awkward = List.of(
                bytes("{"),
                bytes("}"),
                bytes("{}"),
                bytes("{a}b"),
                bytes("}{"),
                bytes(" "),
                bytes("  "),
                bytes("\n"),
                bytes("%00"),
                bytes("\u0000"),
                bytes("é"),
                bytes("e\u0301"),
                bytes("\uD83D\uDC11"),
                Bytes.of((byte) 0xff, (byte) 0xfe),
                bytes("*?[a]"),
                bytes(":v"),
                long2048);
        List<KvKey> keys = new ArrayList<>();
        for (Bytes part : awkward) {
            keys.add(KvKey.of(name("").plus(part)));
            keys.add(new KvKey(new Partition(name("").plus(part)), name("")));
            keys.add(new KvKey(partition(), name("").plus(part)));
        }
        for (KvKey key : keys) committed(new Put(key, key.partition().tag().plus(key.name()), Expiry.NEVER));
        for (KvKey key : keys) {
            assertThat(present(key).value())
                    .as(key.toString())
                    .isEqualTo(key.partition().tag().plus(key.name()));
        }
    }

    @Test
    @Proves(Law.NAMES)
    void entryLeaseAndQueueOfOneNameDoNotMeet() {
        committed(put(key("x"), "a"));
        committed(new LeaseMutation.Take(LeaseRequest.of(lease("x"), owner(), LONG)));
        committed(QueueFixture.enqueue(queue("x"), "m"));
        assertValue(key("x"), "a");
        assertThat(holding(lease("x")).holds()).hasSize(1);
    }

    @Test
    @Proves(Law.NAMES)
    void namesOfNoneAndOfTooManyBytesAreRefused() {
        for (Bytes name : List.of(Bytes.EMPTY, Bytes.wrap(new byte[2_049]))) {
            assertRefusedAtOnce(() -> KvKey.of(name));
            assertRefusedAtOnce(() -> new Partition(name));
        }
    }

    @Test
    @Proves(Law.SIZES)
    void anEmptyValueIsAValue() {
        committed(put(key("k"), ""));
        assertValue(key("k"), "");
        List<Check> vacant = List.of(new Check.Vacant(key("k"), true));
        Obstacle.EntryDiffers there = obstacle(Obstacle.EntryDiffers.class, commit(vacant, put(key("k"), "b")));
        assertThat(there.present()).isTrue();
        assertThat(there.value()).contains(Bytes.EMPTY);
    }

    @Test
    @Proves(Law.SIZES)
    void aLargeValueIsKeptAndATooLargeOneRefused() {
        int most = backend().capabilities().limits().maxValueBytes();
        byte[] large = new byte[Math.min(most, FIVE_MEGABYTES)];
        for (int i = 0; i < large.length; i++) large[i] = (byte) (i * 31 + i / 997);
        committed(new Put(key("k"), Bytes.of(large), Expiry.NEVER));
        assertThat(present(key("k")).value().equals(Bytes.wrap(large)))
                .as("the same bytes")
                .isTrue();
        if (most > MOST_TRIED) return; // larger than a test can afford
        Bytes tooLarge = Bytes.wrap(new byte[most + 1]);
        assertRefusedAtOnce(() -> backend().commit(commit(new Put(key("k"), tooLarge, Expiry.NEVER))));
        assertThat(present(key("k")).value().length()).isEqualTo(large.length);
    }

    @Test
    @Proves(Law.READS)
    void aReadAnswersEachKeyInItsPlaceAndARepeatedOneRepeatedly() {
        committed(put(key("a"), "1"), put(key("b"), "2"));
        List<KvKey> keys = List.of(key("b"), key("none"), key("a"), key("b"));
        List<KvEntry> entries = read(new Query.Keys(keys, false)).entries();
        assertThat(entries).extracting(KvEntry::key).isEqualTo(keys);
        assertThat(entries).element(1).isInstanceOf(KvEntry.Absent.class);
        assertThat(entries.get(0)).isEqualTo(entries.get(3)).isEqualTo(present(key("b")));
        assertThat(entries.get(2)).isEqualTo(present(key("a")));
    }

    @Test
    @Proves(Law.READS)
    void aThousandKeysOfManyPartitionsAreReadInOrder() {
        List<KvKey> keys = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            keys.add(i % 10 == 0 ? KvKey.of(name("own" + i)) : key("k" + i));
        }
        for (int i = 0; i < 1_000; i += 50) committed(put(keys.get(i), "v" + i));
        List<KvEntry> entries = read(new Query.Keys(keys, false)).entries();
        assertThat(entries).extracting(KvEntry::key).isEqualTo(keys);
        for (int i = 0; i < 1_000; i++) {
            assertThat(entries.get(i) instanceof KvEntry.Present).as("key " + i).isEqualTo(i % 50 == 0);
        }
    }
}
