// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

/** What must hold, just before the mutations of a commit, for the commit to happen. */
public sealed interface Check {
    /** A value with exactly this version stands there. {@code orGet}: if not, answer with what does, value included. */
    record Is(KvKey key, Version version, boolean orGet) implements Check {}

    /** No value stands there (never written, deleted or expired). {@code orGet} as above. */
    record Vacant(KvKey key, boolean orGet) implements Check {}

    /** The lease is held by this owner now. */
    record Held(LeaseName lease, Owner owner) implements Check {}

    /** The delivery has been neither settled nor superseded. */
    record Current(Receipt receipt) implements Check {}
}
