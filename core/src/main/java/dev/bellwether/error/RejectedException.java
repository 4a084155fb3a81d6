// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.error;

import org.jspecify.annotations.Nullable;

/** Nothing happened: a stated bound is reached. Trying again at once will not help. */
public final class RejectedException extends BellwetherException {
    private static final long serialVersionUID = 1;

    public RejectedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean nothingHappened() {
        return true;
    }
}
