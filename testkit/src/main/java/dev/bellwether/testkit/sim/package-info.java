// SPDX-License-Identifier: Apache-2.0
/**
 * A simulated world for engines: virtual time, processes with their own clocks, a faulty network and one model store;
 * and checkers of what such a world brought forth.
 */
@NullMarked
package dev.bellwether.testkit.sim;

import org.jspecify.annotations.NullMarked;
