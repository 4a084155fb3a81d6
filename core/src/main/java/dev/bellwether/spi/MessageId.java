// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** Chosen by the store; never used again within a queue. */
public record MessageId(String value) {}
