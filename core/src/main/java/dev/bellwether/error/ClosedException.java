// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.error;

import org.jspecify.annotations.Nullable;

/** Nothing happened: the Bellwether, or the backend under it, is closed. Stop. */
public final class ClosedException extends BellwetherException {
    private static final long serialVersionUID = 1;

    public ClosedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean nothingHappened() {
        return true;
    }
}
