// SPDX-License-Identifier: Apache-2.0
/** How stores and transactions work. Not exported: {@code StoreService} is the door for the facade. */
@NullMarked
package dev.bellwether.kv;

import org.jspecify.annotations.NullMarked;
