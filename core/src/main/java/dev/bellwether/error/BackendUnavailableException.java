// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.error;

import org.jspecify.annotations.Nullable;

/** Nothing happened: the store could not be reached or would not serve. Trying again is safe. */
public final class BackendUnavailableException extends BellwetherException {
    private static final long serialVersionUID = 1;

    public BackendUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean nothingHappened() {
        return true;
    }
}
