// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import static dev.bellwether.testkit.model.Sheet.KEY;
import static dev.bellwether.testkit.model.Sheet.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation.Count;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Op;
import dev.bellwether.spi.EntryMutation.Overflow;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.EntryMutation.Touch;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.RequestId;
import dev.bellwether.spi.Version;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EntriesTest {
    private static final Bytes VALUE = Bytes.utf8("value");

    private final Sheet sheet = new Sheet();

    private Put put(Expiry expiry) {
        return new Put(KEY, VALUE, expiry);
    }

    @Test
    void s3_anEntryIsAbsentFromTheMillisecondOfItsExpiryOn() {
        sheet.done(put(Expiry.after(Duration.ofMillis(5))));
        sheet.time.advance(Duration.ofNanos(4_999_999));
        assertThat(sheet.read(KEY)).isInstanceOf(KvEntry.Present.class);
        sheet.time.advance(Duration.ofNanos(1));
        assertThat(sheet.read(KEY)).isEqualTo(new KvEntry.Absent(KEY, Version.NONE));
    }

    @Test
    void s3_aPutWhoseExpiryHasPassedLeavesNothing() {
        sheet.done(put(Expiry.NEVER));
        sheet.done(put(new Expiry.At(Instant.EPOCH)));
        assertThat(sheet.read(KEY)).isEqualTo(new KvEntry.Absent(KEY, Version.NONE));
    }

    @Test
    void s2_versionsGrowWithinOneMicrosecondAndAcrossARememberedDelete() {
        Version first = sheet.done(put(Expiry.NEVER)).version();
        Version gone = sheet.done(new Delete(KEY, seconds(60))).version();
        assertThat(sheet.read(KEY)).isEqualTo(new KvEntry.Absent(KEY, gone));
        sheet.time.stepWallClock(seconds(-3600));
        Version again = sheet.done(put(Expiry.NEVER)).version();
        assertThat(List.of(first, gone, again)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aRememberedDeleteIsForgottenAfterItsTime() {
        sheet.done(new Delete(KEY, seconds(1)));
        sheet.time.advance(seconds(1));
        assertThat(sheet.read(KEY).version()).isEqualTo(Version.NONE);
    }

    @Test
    void keepingAnExpiryKeepsItAndMeansNeverWhereNothingStood() {
        sheet.done(put(Expiry.KEEP));
        assertThat(((KvEntry.Present) sheet.read(KEY)).expiresAtMillis()).isEmpty();
        sheet.done(put(Expiry.after(seconds(5))));
        var before = ((KvEntry.Present) sheet.read(KEY)).expiresAtMillis();
        sheet.time.advance(seconds(1));
        sheet.done(put(Expiry.KEEP));
        assertThat(((KvEntry.Present) sheet.read(KEY)).expiresAtMillis()).isEqualTo(before);
    }

    @Test
    void aTouchOfNothingIsRefusedAsUnfit() {
        assertThat(sheet.refused(new Touch(KEY, Expiry.NEVER)).get(0)).isInstanceOf(Obstacle.Unfit.class);
    }

    @Test
    void countingBeyond64BitsFailsSaturatesOrWrapsAsAsked() {
        Count max = new Count(KEY, Op.ADD, Long.MAX_VALUE, Overflow.FAIL, Expiry.KEEP);
        assertThat(sheet.done(max).outcomes()).containsExactly(new Outcome.Counted(Long.MAX_VALUE));
        Count one = new Count(KEY, Op.ADD, 1, Overflow.FAIL, Expiry.KEEP);
        assertThat(sheet.refused(one).get(0)).isInstanceOf(Obstacle.Unfit.class);
        sheet.done(new Count(KEY, Op.ADD, 1, Overflow.SATURATE, Expiry.KEEP));
        assertThat(((KvEntry.Present) sheet.read(KEY)).value()).isEqualTo(Counter.encode(Long.MAX_VALUE));
        assertThat(sheet.done(new Count(KEY, Op.ADD, 1, Overflow.WRAP, Expiry.KEEP))
                        .outcomes())
                .containsExactly(new Outcome.Counted(Long.MIN_VALUE));
    }

    @Test
    void s1_everyObstacleIsReportedAndNothingIsWritten() {
        KvKey other = KvKey.of(Bytes.utf8("other"));
        sheet.done(put(Expiry.NEVER));
        Commit commit = new Commit(
                new RequestId(1, 1),
                List.of(new Check.Vacant(KEY, true), new Check.Is(other, new Version(5), false)),
                List.of(new Touch(other, Expiry.NEVER), new Put(KEY, Bytes.EMPTY, Expiry.NEVER)));
        CommitReply reply = sheet.commit(commit);
        assertThat(((CommitReply.Conflict) reply).obstacles())
                .extracting(Obstacle::index)
                .containsExactly(0, 1, 2);
        assertThat(((KvEntry.Present) sheet.read(KEY)).value()).isEqualTo(VALUE);
    }

    @Test
    void s4_aCommittedIdAnswersAgainWhatItAnsweredForThirtySecondsAndAConflictIsNotRemembered() {
        Count count = new Count(KEY, Op.ADD, 1, Overflow.FAIL, Expiry.KEEP);
        Commit commit = new Commit(new RequestId(1, 1), List.of(), List.of(count));
        Commit guarded = new Commit(new RequestId(1, 2), List.of(new Check.Vacant(KEY, false)), List.of(count));
        CommitReply first = sheet.commit(commit);
        assertThat(sheet.commit(guarded)).isInstanceOf(CommitReply.Conflict.class);
        sheet.time.advance(seconds(30).minusNanos(1_000));
        assertThat(sheet.commit(commit)).isEqualTo(first);
        sheet.done(new Delete(KEY, Duration.ZERO));
        assertThat(sheet.commit(guarded)).isInstanceOf(CommitReply.Committed.class);
        sheet.time.advance(Duration.ofNanos(1_000));
        assertThat(sheet.commit(commit)).isNotEqualTo(first);
    }

    @Test
    void anArmedKeyIsHintedOnce() {
        var unused = sheet.backend.read(new Query.Keys(List.of(KEY), true));
        sheet.done(put(Expiry.NEVER));
        sheet.done(put(Expiry.NEVER));
        assertThat(sheet.hints).containsExactly(new Hint.Changed(KEY));
    }

    @Test
    void aRangeIsOrderedCutByItsLimitAndSaysSo() {
        var partition = KEY.partition();
        for (String name : List.of("c", "a", "b")) {
            sheet.done(new Put(new KvKey(partition, Bytes.utf8(name)), VALUE, Expiry.NEVER));
        }
        KvKey from = new KvKey(partition, Bytes.utf8("a"));
        KvKey to = new KvKey(partition, Bytes.utf8("d"));
        var reading = Sheet.now(sheet.backend.read(new Query.Range(from, to, 2, true)));
        assertThat(reading.more()).isTrue();
        assertThat(reading.entries())
                .extracting(entry -> entry.key().name().utf8())
                .containsExactly("c", "b");
    }

    @Test
    void theStepFunctionLeavesTheStateBeforeItAsItWas() {
        StoreState empty = StoreState.empty();
        var commit = new Request.Change(Commit.of(put(Expiry.NEVER)));
        var read = new Request.Read(new Query.Keys(List.of(KEY), false));
        StoreState after = Model.step(empty, 1, commit, 1_000).after();
        assertThat(Model.step(empty, 1, read, 1_000).reply().entries().get(0)).isInstanceOf(KvEntry.Absent.class);
        assertThat(Model.step(after, 1, read, 1_000).reply().entries().get(0)).isInstanceOf(KvEntry.Present.class);
    }
}
