// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import java.util.concurrent.CompletionException;

/** The failure inside what a stage reports. */
final class Failures {
    private Failures() {}

    static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
