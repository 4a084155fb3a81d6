// SPDX-License-Identifier: Apache-2.0
/** The laws as tests: abstract JUnit classes that a backend passes to be one. */
@NullMarked
package dev.bellwether.testkit.contract;

import org.jspecify.annotations.NullMarked;
