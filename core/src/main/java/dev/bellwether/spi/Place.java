// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** Something that a store knows by name, inside one partition. Any bytes from 1 to 2,048 make a name. */
public sealed interface Place permits KvKey, LeaseName, QueueName {
    Partition partition();

    Bytes name();
}
