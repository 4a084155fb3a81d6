// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import java.util.concurrent.CompletionException;

/** What stages and users' code report. */
final class Failures {
    private static final int MOST_SHOWN = 1_000;

    private Failures() {}

    /** The failure inside what a stage reports. */
    static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** The failure in words, whatever its own methods do. */
    static String describe(Throwable failure) {
        return shown(failure, failure.getClass().getName(), MOST_SHOWN);
    }

    /** Something of the user's as text, cut; the substitute if its own {@code toString} fails. */
    static String shown(Object thing, String substitute, int most) {
        String text;
        try {
            text = String.valueOf(thing);
        } catch (RuntimeException | StackOverflowError broken) {
            text = substitute;
        }
        return text.length() <= most ? text : text.substring(0, most) + "...";
    }
}
