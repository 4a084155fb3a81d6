// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

/** The backend answered what the model would not. */
final class Divergence extends RuntimeException {
    private static final long serialVersionUID = 1;

    Divergence(String what, Object model, Object backend) {
        super(what + ":\n    model:   " + model + "\n    backend: " + backend);
    }
}
