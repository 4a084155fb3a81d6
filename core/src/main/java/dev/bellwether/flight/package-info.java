// SPDX-License-Identifier: Apache-2.0
/** The memoizer's engine. Not exported. */
@NullMarked
package dev.bellwether.flight;

import org.jspecify.annotations.NullMarked;
