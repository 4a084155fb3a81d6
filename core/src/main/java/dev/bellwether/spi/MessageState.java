// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** Where a message is. */
public enum MessageState {
    READY,
    DELAYED,
    /** Behind the head of its group. */
    GROUPED,
    RUNNING,
    DEAD,
    /** Acknowledged, removed, or never was. */
    GONE
}
