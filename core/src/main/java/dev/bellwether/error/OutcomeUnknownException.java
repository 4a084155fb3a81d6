// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.error;

import org.jspecify.annotations.Nullable;

/** It may have happened: no answer came. Look before acting again. */
public final class OutcomeUnknownException extends BellwetherException {
    private static final long serialVersionUID = 1;

    public OutcomeUnknownException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
