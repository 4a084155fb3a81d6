// SPDX-License-Identifier: Apache-2.0
/** Networks that fail on demand. */
@NullMarked
package dev.bellwether.testkit.net;

import org.jspecify.annotations.NullMarked;
