// SPDX-License-Identifier: Apache-2.0
/** The queue engine behind {@code dev.bellwether.queue}. */
@NullMarked
package dev.bellwether.delivery;

import org.jspecify.annotations.NullMarked;
