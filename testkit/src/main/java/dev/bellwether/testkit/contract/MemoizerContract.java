// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

/** The laws M1 to M6 of the memoizer, and the faults that users of other libraries reported, on any backend. */
public abstract class MemoizerContract extends MemoizerValues {
    /** For subclasses, which say how to connect to their store. */
    protected MemoizerContract() {}
}
