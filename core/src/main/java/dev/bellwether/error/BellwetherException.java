// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.error;

import org.jspecify.annotations.Nullable;

/** Root of all failures of this library; thrown itself only for defects such as bytes that do not decode. */
public class BellwetherException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public BellwetherException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Whether it is certain that nothing happened, so that repeating the call is harmless. */
    public boolean nothingHappened() {
        return false;
    }
}
