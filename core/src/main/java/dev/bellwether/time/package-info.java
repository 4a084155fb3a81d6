// SPDX-License-Identifier: Apache-2.0
/** Now and later: the only source of time and delay. */
@NullMarked
package dev.bellwether.time;

import org.jspecify.annotations.NullMarked;
