// SPDX-License-Identifier: Apache-2.0
/** What a store must be able to do: entries, leases and queues under one atomic commit. */
@NullMarked
package dev.bellwether.spi;

import org.jspecify.annotations.NullMarked;
