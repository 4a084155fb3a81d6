// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** What a backend may be able to do beyond the rest. */
public enum Power {
    /** One commit may span partitions. */
    CROSS_PARTITION,
    /** {@link Query.Range} is answered. */
    ORDERED_SCAN,
    /** A range is read at one moment. */
    SNAPSHOT_SCAN,
    /** Hints are pushed; without it every wait looks by its timer. */
    PUSHED_HINTS,
    /** Writes can wait for replicas. */
    REPLICA_ACK
}
