// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** What one commit can change together: on a cluster, one slot. */
public record Partition(Bytes tag) {
    public Partition {
        Names.check("partition", tag);
    }
}
