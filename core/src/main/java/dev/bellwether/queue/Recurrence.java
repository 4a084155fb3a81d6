// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.queue;

import dev.bellwether.time.Durations;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** At which moments a recurring message is due: a pure function of the moment before. Immutable. */
public final class Recurrence {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofDays(3_660);

    private final String text;
    private final long periodMillis;
    private final @Nullable Cron cron;

    private Recurrence(String text, long periodMillis, @Nullable Cron cron) {
        this.text = text;
        this.periodMillis = periodMillis;
        this.cron = cron;
    }

    /**
     * At the multiples of this period since 1970-01-01T00:00Z, so that all processes mean the same moments and a restart
     * moves none.
     *
     * @param period 100 ms to ten years, taken in whole milliseconds
     */
    public static Recurrence every(Duration period) {
        Durations.between("the period of a recurring message", period, SHORTEST, LONGEST);
        return new Recurrence("every " + period, Durations.millis(period), null);
    }

    /**
     * By a cron expression: minute, hour, day of month, month, day of week (0 and 7 are Sunday), with lists, ranges,
     * steps and English names, or {@code @hourly}, {@code @daily}, {@code @weekly}, {@code @monthly}, {@code @yearly}.
     * If both days are restricted, either suffices. A time that a change of clocks skips is due as much
     * later as the clocks skip; one that comes twice is due once, unless the hour is {@code *}.
     *
     * @throws IllegalArgumentException naming the field that is wrong, or if no day fits
     */
    public static Recurrence cron(String expression, ZoneId zone) {
        Cron cron = Cron.parse(expression, zone);
        return new Recurrence("cron " + zone.getId() + " " + expression.strip(), 0, cron);
    }

    /**
     * The recurrence that {@link #toString} wrote.
     *
     * @throws IllegalArgumentException if it did not
     */
    public static Recurrence parse(String text) {
        try {
            if (text.startsWith("every ")) return every(Duration.parse(text.substring(6)));
            String[] parts = text.split(" ", 3);
            if (parts.length == 3 && parts[0].equals("cron")) return cron(parts[2], ZoneId.of(parts[1]));
        } catch (java.time.DateTimeException unreadable) {
            throw new IllegalArgumentException("no recurrence: " + text, unreadable);
        }
        throw new IllegalArgumentException("no recurrence: " + text);
    }

    /** The first moment after this one. */
    public Instant after(Instant moment) {
        if (cron != null) return cron.after(moment);
        long millis = moment.toEpochMilli();
        return Instant.ofEpochMilli((Math.floorDiv(millis, periodMillis) + 1) * periodMillis);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Recurrence that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
