// SPDX-License-Identifier: Apache-2.0
/** What is special about a store within one JVM; the contract that all backends share is tested by the testkit. */
@NullMarked
package dev.bellwether.memory;

import org.jspecify.annotations.NullMarked;
