// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** The name of a lease. */
public record LeaseName(Partition partition, Bytes name) implements Place {
    public LeaseName {
        Names.check("lease", name);
    }

    /** The lease that is its own partition. */
    public static LeaseName of(Bytes name) {
        return new LeaseName(new Partition(name), name);
    }
}
