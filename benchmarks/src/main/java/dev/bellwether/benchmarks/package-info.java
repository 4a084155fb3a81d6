// SPDX-License-Identifier: Apache-2.0
/** What the parts of Bellwether cost, beside what they are built on. */
@NullMarked
package dev.bellwether.benchmarks;

import org.jspecify.annotations.NullMarked;
