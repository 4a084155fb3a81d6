// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import dev.bellwether.time.Durations;
import java.time.Duration;

/** For how long, and with what word, a released lease refuses newcomers. */
public record Quiet(Duration time, Bytes note) {
    public static final Quiet NONE = new Quiet(Duration.ZERO, Bytes.EMPTY);
    public static final int MAX_NOTE = 4_096;

    public Quiet {
        Durations.notNegative("the quiet time", time);
        if (note.length() > MAX_NOTE) {
            throw new IllegalArgumentException("a note of " + note.length() + " bytes; at most " + MAX_NOTE);
        }
    }
}
