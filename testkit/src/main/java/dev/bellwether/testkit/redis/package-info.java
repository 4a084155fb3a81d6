// SPDX-License-Identifier: Apache-2.0
/** Redis servers as child processes: alone, as a cluster, under sentinels. */
@NullMarked
package dev.bellwether.testkit.redis;

import org.jspecify.annotations.NullMarked;
