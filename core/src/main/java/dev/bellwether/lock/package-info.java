// SPDX-License-Identifier: Apache-2.0
/** Locks that are leases: exclusive, shared, counted, several at once, and leaders. */
@NullMarked
package dev.bellwether.lock;

import org.jspecify.annotations.NullMarked;
