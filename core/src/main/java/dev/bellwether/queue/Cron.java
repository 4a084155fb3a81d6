// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.queue;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A cron expression in a time zone. Immutable. */
final class Cron {
    /*
     * Two clocks
     * ----------
     * A fixed hour is looked for on the wall clock: nextLocal searches local times, and only the result is placed in the
     * zone, which moves a skipped time behind the gap and takes the first of two equal ones. An hour of * means elapsed
     * time ("every five minutes"), so when clocks go back the repeated hour is searched once more behind the transition.
     */

    /** The 29th of February may be missing for eight years in a row, around a century that does not leap. */
    private static final int MOST_YEARS = 9;

    private static final Map<String, String> NAMED = Map.of(
            "@hourly", "0 * * * *",
            "@daily", "0 0 * * *",
            "@weekly", "0 0 * * 0",
            "@monthly", "0 0 1 * *",
            "@yearly", "0 0 1 1 *");
    private static final List<String> MONTHS =
            List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
    private static final List<String> DAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

    private final BitSet minutes;
    private final BitSet hours;
    private final BitSet daysOfMonth;
    private final BitSet months;
    private final BitSet daysOfWeek;
    private final boolean anyHour;
    private final boolean eitherDay;
    private final ZoneId zone;

    private Cron(String expression, String[] fields, ZoneId zone) {
        this.minutes = new Field("minute", 0, 59, List.of(), 0).parse(fields[0], expression);
        this.hours = new Field("hour", 0, 23, List.of(), 0).parse(fields[1], expression);
        this.daysOfMonth = new Field("day of month", 1, 31, List.of(), 0).parse(fields[2], expression);
        this.months = new Field("month", 1, 12, MONTHS, 1).parse(fields[3], expression);
        this.daysOfWeek = new Field("day of week", 0, 7, DAYS, 0).parse(fields[4], expression);
        if (daysOfWeek.get(7)) daysOfWeek.set(0);
        this.anyHour = fields[1].equals("*");
        this.eitherDay = !fields[2].startsWith("*") && !fields[4].startsWith("*");
        this.zone = zone;
    }

    static Cron parse(String expression, ZoneId zone) {
        String plain = NAMED.getOrDefault(expression.strip().toLowerCase(Locale.ROOT), expression.strip());
        String[] fields = plain.split("\\s+", -1);
        if (fields.length != 5) {
            throw new IllegalArgumentException("the cron expression '" + expression
                    + "' has not five fields: minute, hour, day of month, month, day of week");
        }
        Cron cron = new Cron(expression, fields, zone);
        if (cron.nextLocal(LocalDateTime.of(2000, 1, 1, 0, 0)) == null) {
            throw new IllegalArgumentException("no day fits the cron expression '" + expression + "'");
        }
        return cron;
    }

    Instant after(Instant moment) {
        ZonedDateTime start = moment.atZone(zone);
        LocalDateTime local = start.toLocalDateTime();
        Instant next;
        do {
            local = next(local);
            next = place(local, start.getOffset());
        } while (!next.isAfter(moment));
        return anyHour ? orInRepeatedHour(moment, next) : next;
    }

    private Instant place(LocalDateTime local, ZoneOffset offset) {
        return anyHour
                ? ZonedDateTime.ofLocal(local, zone, offset).toInstant()
                : ZonedDateTime.of(local, zone).toInstant();
    }

    private Instant orInRepeatedHour(Instant moment, Instant next) {
        ZoneOffsetTransition change = zone.getRules().nextTransition(moment);
        if (change == null || !change.isOverlap() || change.getInstant().isAfter(next)) return next;
        LocalDateTime local = next(change.getDateTimeAfter().minusMinutes(1));
        Instant repeated =
                ZonedDateTime.ofLocal(local, zone, change.getOffsetAfter()).toInstant();
        return repeated.isBefore(next) ? repeated : next;
    }

    private LocalDateTime next(LocalDateTime after) {
        LocalDateTime next = nextLocal(after);
        if (next == null) throw new IllegalStateException("no moment after " + after); // parse has found one
        return next;
    }

    private @Nullable LocalDateTime nextLocal(LocalDateTime after) {
        LocalDateTime at = after.truncatedTo(ChronoUnit.MINUTES).plusMinutes(1);
        int lastYear = after.getYear() + MOST_YEARS;
        while (at.getYear() <= lastYear) {
            if (!months.get(at.getMonthValue())) {
                at = at.toLocalDate().withDayOfMonth(1).plusMonths(1).atStartOfDay();
            } else if (!fits(at.toLocalDate())) {
                at = at.toLocalDate().plusDays(1).atStartOfDay();
            } else if (!hours.get(at.getHour())) {
                at = at.truncatedTo(ChronoUnit.HOURS).plusHours(1);
            } else if (!minutes.get(at.getMinute())) {
                at = at.plusMinutes(1);
            } else {
                return at;
            }
        }
        return null;
    }

    private boolean fits(LocalDate day) {
        boolean ofMonth = daysOfMonth.get(day.getDayOfMonth());
        boolean ofWeek = daysOfWeek.get(day.getDayOfWeek().getValue() % 7);
        return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
    }

    private record Field(String what, int least, int most, List<String> names, int first) {
        BitSet parse(String text, String expression) {
            BitSet set = new BitSet();
            try {
                for (String part : text.split(",", -1)) add(part, set);
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException(
                        "the " + what + " '" + text + "' of the cron expression '" + expression + "' is none from "
                                + least + " to " + most,
                        wrong);
            }
            return set;
        }

        private void add(String part, BitSet set) {
            String[] range = part.split("/", -1);
            String[] ends = range[0].split("-", -1);
            if (range.length > 2 || ends.length > 2) throw new IllegalArgumentException(part);
            boolean any = range[0].equals("*");
            int from = any ? least : number(ends[0]);
            int to = any || (range.length == 2 && ends.length == 1) ? most : number(ends[ends.length - 1]);
            int step = range.length == 2 ? Integer.parseInt(range[1]) : 1;
            if (step < 1 || from > to) throw new IllegalArgumentException(part);
            for (int i = from; i <= to; i += step) set.set(i);
        }

        private int number(String text) {
            int name = names.indexOf(text.toUpperCase(Locale.ROOT));
            int number = name >= 0 ? name + first : Integer.parseInt(text);
            if (number < least || number > most) throw new IllegalArgumentException(text);
            return number;
        }
    }
}
