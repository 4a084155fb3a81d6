// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** The name of a queue. */
public record QueueName(Partition partition, Bytes name) implements Place {
    public QueueName {
        Names.check("queue", name);
    }

    /** The queue that is its own partition. */
    public static QueueName of(Bytes name) {
        return new QueueName(new Partition(name), name);
    }
}
