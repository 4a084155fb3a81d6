// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Lengths of time as people write them: {@code 250ms}, {@code 10s}, {@code 5m}, {@code 1h30m}, {@code 2d}. */
final class Lengths implements ITypeConverter<Duration> {
    private static final Pattern PART = Pattern.compile("(\\d{1,15})(ms|s|m|h|d)");

    @Override
    public Duration convert(String text) {
        return parse(text);
    }

    static Duration parse(String text) {
        Duration sum = Duration.ZERO;
        Matcher part = PART.matcher(text);
        int end = 0;
        while (part.find() && part.start() == end) {
            sum = sum.plus(length(Long.parseLong(part.group(1)), part.group(2)));
            end = part.end();
        }
        if (end == 0 || end != text.length()) {
            throw new TypeConversionException(
                    "'" + text + "' is no length of time; write it like 250ms, 10s, 5m, 1h30m or 2d");
        }
        return sum;
    }

    private static Duration length(long number, String unit) {
        try {
            return switch (unit) {
                case "ms" -> Duration.ofMillis(number);
                case "s" -> Duration.ofSeconds(number);
                case "m" -> Duration.ofMinutes(number);
                case "h" -> Duration.ofHours(number);
                default -> Duration.ofDays(number);
            };
        } catch (ArithmeticException tooLong) {
            throw new TypeConversionException("'" + number + unit + "' is longer than can be counted");
        }
    }
}
