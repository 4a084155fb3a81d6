// SPDX-License-Identifier: Apache-2.0
/** Simulated time and the contract suites of Bellwether. */
@NullMarked
package dev.bellwether.testkit;

import org.jspecify.annotations.NullMarked;
