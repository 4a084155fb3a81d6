// SPDX-License-Identifier: Apache-2.0
/** KvBackend on Redis and Valkey by Lettuce. */
@NullMarked
package dev.bellwether.redis;

import org.jspecify.annotations.NullMarked;
