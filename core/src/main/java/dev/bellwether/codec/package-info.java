// SPDX-License-Identifier: Apache-2.0
/** Values to bytes and back. */
@NullMarked
package dev.bellwether.codec;

import org.jspecify.annotations.NullMarked;
