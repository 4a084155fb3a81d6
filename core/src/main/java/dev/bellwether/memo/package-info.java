// SPDX-License-Identifier: Apache-2.0
/** Get-or-compute with one leader per key in the fleet. */
@NullMarked
package dev.bellwether.memo;

import org.jspecify.annotations.NullMarked;
