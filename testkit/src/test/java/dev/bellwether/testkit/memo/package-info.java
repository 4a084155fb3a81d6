// SPDX-License-Identifier: Apache-2.0
/** The memoizer against the model, under simulated time and faults. */
@NullMarked
package dev.bellwether.testkit.memo;

import org.jspecify.annotations.NullMarked;
