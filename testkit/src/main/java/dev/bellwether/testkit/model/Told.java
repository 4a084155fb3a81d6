// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Hint;

/** A hint, and the client of the store that it goes to. */
public record Told(long client, Hint hint) {}
