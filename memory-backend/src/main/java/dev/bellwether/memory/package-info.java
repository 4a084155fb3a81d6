// SPDX-License-Identifier: Apache-2.0
/** A store within one JVM: for tests, for development, and for services of one process. */
@NullMarked
package dev.bellwether.memory;

import org.jspecify.annotations.NullMarked;
