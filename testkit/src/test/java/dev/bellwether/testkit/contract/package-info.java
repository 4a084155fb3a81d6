// SPDX-License-Identifier: Apache-2.0
/** The contracts on the model, which passes, and on broken backends, which do not. */
@NullMarked
package dev.bellwether.testkit.contract;

import org.jspecify.annotations.NullMarked;
