// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** Names a request so that sending it twice is sending it once; remembered for {@link Limits#memory()}. */
public record RequestId(long process, long counter) {}
