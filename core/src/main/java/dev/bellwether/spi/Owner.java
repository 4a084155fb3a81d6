// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/**
 * One acquisition or one place in line, for its whole life: a random number for the process, a counter within it.
 * Never used again for another acquisition, which is what makes every lease request harmless when it is sent twice.
 */
public record Owner(long process, long counter) {}
