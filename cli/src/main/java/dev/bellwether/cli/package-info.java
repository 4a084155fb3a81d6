// SPDX-License-Identifier: Apache-2.0
/** The {@code bw} command. Uses the public API only. */
@NullMarked
package dev.bellwether.cli;

import org.jspecify.annotations.NullMarked;
