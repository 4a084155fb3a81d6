// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** One delivery of one message, counted from 1; stale once settled or superseded by a later delivery. */
public record Receipt(QueueName queue, MessageId id, int delivery) {}
