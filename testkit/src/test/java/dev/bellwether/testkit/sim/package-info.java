// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.bellwether.testkit.sim;

import org.jspecify.annotations.NullMarked;
