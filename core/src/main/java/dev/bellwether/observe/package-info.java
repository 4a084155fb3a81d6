// SPDX-License-Identifier: Apache-2.0
/** Events for metrics and tracing. */
@NullMarked
package dev.bellwether.observe;

import org.jspecify.annotations.NullMarked;
