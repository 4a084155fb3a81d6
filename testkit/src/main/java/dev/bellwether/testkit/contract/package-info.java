// SPDX-License-Identifier: Apache-2.0
/** What every backend must do: extend each contract with one factory method, and run it. */
@NullUnmarked
package dev.bellwether.testkit.contract;

import org.jspecify.annotations.NullUnmarked;
