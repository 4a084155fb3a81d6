// SPDX-License-Identifier: Apache-2.0
/** Messages that are handled until they are done. */
@NullMarked
package dev.bellwether.queue;

import org.jspecify.annotations.NullMarked;
