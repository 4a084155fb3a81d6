// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecurrenceTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @Test
    void aPeriodNamesTheSameMomentsInEveryProcess() {
        Recurrence quarter = Recurrence.every(Duration.ofMinutes(15));
        assertThat(quarter.after(Instant.parse("2026-03-01T10:07:00Z"))).isEqualTo("2026-03-01T10:15:00Z");
        assertThat(quarter.after(Instant.parse("2026-03-01T10:15:00Z"))).isEqualTo("2026-03-01T10:30:00Z");
        assertThat(quarter.after(Instant.parse("1969-12-31T23:50:00Z"))).isEqualTo("1970-01-01T00:00:00Z");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 3 * * *        | 2026-03-01T10:07:00Z | 2026-03-02T03:00:00Z",
                "*/5 * * * *      | 2026-03-01T10:07:00Z | 2026-03-01T10:10:00Z",
                "7 10 * * *       | 2026-03-01T10:07:00Z | 2026-03-02T10:07:00Z",
                "0 9-17/4 * * *   | 2026-03-01T10:07:00Z | 2026-03-01T13:00:00Z",
                "30 8 * * MON-FRI | 2026-03-06T08:30:00Z | 2026-03-09T08:30:00Z",
                "0 0 29 2 *       | 2026-03-01T00:00:00Z | 2028-02-29T00:00:00Z",
                "0 0 29 2 *       | 2096-03-01T00:00:00Z | 2104-02-29T00:00:00Z",
                "0 0 13 * FRI     | 2026-03-07T00:00:00Z | 2026-03-13T00:00:00Z",
                "0 0 1 * 7        | 2026-03-02T00:00:00Z | 2026-03-08T00:00:00Z",
                "0 12 31 JAN,DEC * | 2026-03-01T10:07:00Z | 2026-12-31T12:00:00Z",
                "5/20 * * * *     | 2026-03-01T10:07:00Z | 2026-03-01T10:25:00Z",
                "@daily           | 2026-03-01T10:07:00Z | 2026-03-02T00:00:00Z",
            })
    void aCronExpressionNamesTheNextMoment(String expression, Instant moment, Instant next) {
        assertThat(Recurrence.cron(expression, ZoneOffset.UTC).after(moment)).isEqualTo(next);
    }

    @Test
    void aTimeThatClocksSkipComesLaterAndOneThatTheyRepeatComesOnce() {
        Recurrence halfPastTwo = Recurrence.cron("30 2 * * *", BERLIN);
        assertThat(times(halfPastTwo, "2026-03-28T12:00:00Z", 2))
                .containsExactly(Instant.parse("2026-03-29T01:30:00Z"), Instant.parse("2026-03-30T00:30:00Z"));
        assertThat(times(halfPastTwo, "2026-10-24T12:00:00Z", 2))
                .containsExactly(Instant.parse("2026-10-25T00:30:00Z"), Instant.parse("2026-10-26T01:30:00Z"));
    }

    @Test
    void everyHourMeansElapsedHoursWhateverTheClocksDo() {
        Recurrence hourly = Recurrence.cron("0 * * * *", BERLIN);
        assertThat(times(hourly, "2026-10-24T22:30:00Z", 4))
                .containsExactly(
                        Instant.parse("2026-10-24T23:00:00Z"),
                        Instant.parse("2026-10-25T00:00:00Z"),
                        Instant.parse("2026-10-25T01:00:00Z"),
                        Instant.parse("2026-10-25T02:00:00Z"));
        assertThat(times(hourly, "2026-03-29T00:30:00Z", 2))
                .containsExactly(Instant.parse("2026-03-29T01:00:00Z"), Instant.parse("2026-03-29T02:00:00Z"));
    }

    private static List<Instant> times(Recurrence recurrence, String from, int count) {
        List<Instant> times = new ArrayList<>();
        Instant at = Instant.parse(from);
        for (int i = 0; i < count; i++) {
            at = recurrence.after(at);
            times.add(at);
        }
        return times;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "* * * *",
                "60 * * * *",
                "* * 0 * *",
                "* * * * MOO",
                "5-1 * * * *",
                "*/0 * * * *",
                "0 0 31 2 *",
                ""
            })
    void anExpressionThatIsWrongOrNeverDueIsRefused(String expression) {
        assertThatThrownBy(() -> Recurrence.cron(expression, ZoneOffset.UTC))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + expression + "'");
    }

    @Test
    void aRecurrenceSurvivesItsOwnText() {
        for (Recurrence each : List.of(
                Recurrence.every(Duration.ofMillis(100)),
                Recurrence.cron("0 9-17/4 * * MON", BERLIN),
                Recurrence.cron("@weekly", ZoneOffset.UTC))) {
            assertThat(Recurrence.parse(each.toString())).isEqualTo(each);
        }
        assertThatThrownBy(() -> Recurrence.parse("now and then")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Recurrence.parse("every day")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPeriodTooShortToKeepIsRefused() {
        assertThatThrownBy(() -> Recurrence.every(Duration.ofMillis(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0.1S");
    }
}
