// SPDX-License-Identifier: Apache-2.0
/** The SPI as a pure function, a backend over it, and random histories that compare any backend with it. */
@NullMarked
package dev.bellwether.testkit.model;

import org.jspecify.annotations.NullMarked;
