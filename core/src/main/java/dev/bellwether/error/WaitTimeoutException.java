// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.error;

import org.jspecify.annotations.Nullable;

/** Nothing happened: somebody else had it until the time was up. */
public final class WaitTimeoutException extends BellwetherException {
    private static final long serialVersionUID = 1;

    public WaitTimeoutException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean nothingHappened() {
        return true;
    }
}
