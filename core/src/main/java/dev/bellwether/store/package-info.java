// SPDX-License-Identifier: Apache-2.0
/** Typed entries, and transactions over entries, counters, leases and queues. */
@NullMarked
package dev.bellwether.store;

import org.jspecify.annotations.NullMarked;
