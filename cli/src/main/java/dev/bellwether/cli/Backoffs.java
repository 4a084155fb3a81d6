// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import dev.bellwether.time.Backoff;
import java.time.Duration;
import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Backoffs as people write them: {@code recipe}, {@code fixed:100ms}, {@code linear:100ms,100ms},
 * {@code exponential:25ms,1s}, {@code schedule:100ms,1s,5s}, each with {@code ,jitter} at the end if wished.
 */
final class Backoffs implements ITypeConverter<Backoff> {
    @Override
    public Backoff convert(String text) {
        boolean jitter = text.endsWith(",jitter");
        String plain = jitter ? text.substring(0, text.length() - ",jitter".length()) : text;
        Backoff backoff = plain(plain);
        return jitter ? backoff.jittered() : backoff;
    }

    private static Backoff plain(String text) {
        if (text.equals("recipe")) return Backoff.recipe();
        int colon = text.indexOf(':');
        String kind = colon < 0 ? text : text.substring(0, colon);
        Duration[] lengths = colon < 0
                ? new Duration[0]
                : Arrays.stream(text.substring(colon + 1).split(",", -1))
                        .map(Lengths::parse)
                        .toArray(Duration[]::new);
        if (kind.equals("fixed") && lengths.length == 1) return Backoff.fixed(lengths[0]);
        if (kind.equals("linear") && lengths.length == 2) return Backoff.linear(lengths[0], lengths[1]);
        if (kind.equals("exponential") && lengths.length == 2) return Backoff.exponential(lengths[0], lengths[1]);
        if (kind.equals("schedule") && lengths.length > 0) return Backoff.schedule(lengths);
        throw new TypeConversionException(
                "'" + text + "' is no backoff; write recipe, fixed:100ms, linear:100ms,100ms, "
                        + "exponential:25ms,1s or schedule:100ms,1s,5s, with ,jitter at the end if wished");
    }
}
