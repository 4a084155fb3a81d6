// SPDX-License-Identifier: Apache-2.0
/** The queue engine, on the model and simulated time. */
@NullMarked
package dev.bellwether.testkit.queue;

import org.jspecify.annotations.NullMarked;
