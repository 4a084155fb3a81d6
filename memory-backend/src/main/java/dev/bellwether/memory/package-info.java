// SPDX-License-Identifier: Apache-2.0
/** A store within one JVM: {@link dev.bellwether.memory.MemoryBackend} is all there is to see. */
@NullMarked
package dev.bellwether.memory;

import org.jspecify.annotations.NullMarked;
