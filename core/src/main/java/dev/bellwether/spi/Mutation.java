// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** One change within a commit. Those that name an owner or a receipt imply the matching check. */
public sealed interface Mutation permits EntryMutation, LeaseMutation, QueueMutation {
    /** Where it happens. */
    Place place();
}
