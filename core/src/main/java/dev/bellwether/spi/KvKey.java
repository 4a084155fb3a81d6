// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** The name of an entry. */
public record KvKey(Partition partition, Bytes name) implements Place, Comparable<KvKey> {
    public KvKey {
        Names.check("key", name);
    }

    /** The key that is its own partition. */
    public static KvKey of(Bytes name) {
        return new KvKey(new Partition(name), name);
    }

    /** By partition, then by name. */
    @Override
    public int compareTo(KvKey other) {
        int byPartition = partition.tag().compareTo(other.partition.tag());
        return byPartition != 0 ? byPartition : name.compareTo(other.name);
    }
}
