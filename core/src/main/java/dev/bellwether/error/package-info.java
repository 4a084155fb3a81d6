// SPDX-License-Identifier: Apache-2.0
/** The failures of this library, one for each decision that a caller can take. */
@NullMarked
package dev.bellwether.error;

import org.jspecify.annotations.NullMarked;
