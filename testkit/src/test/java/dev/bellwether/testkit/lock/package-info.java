// SPDX-License-Identifier: Apache-2.0
/** The locks under the contract and in simulated worlds. */
@NullMarked
package dev.bellwether.testkit.lock;

import org.jspecify.annotations.NullMarked;
