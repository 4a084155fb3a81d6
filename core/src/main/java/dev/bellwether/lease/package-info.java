// SPDX-License-Identifier: Apache-2.0
/** What a process believes of the leases it holds. Not exported: lock and memo both stand on it. */
@NullMarked
package dev.bellwether.lease;

import org.jspecify.annotations.NullMarked;
