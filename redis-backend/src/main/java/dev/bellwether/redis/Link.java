// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

/** The way to the servers. Sending neither blocks nor throws; every call completes, in bounded time. */
interface Link {
    /**
     * Sends to whoever serves the first key.
     *
     * @param tracked over the connection whose reads are hinted when they change
     */
    void send(Call call, boolean tracked);

    /** How many servers hold keys. */
    int nodes();

    /** To one of them, for what concerns a server and not a key. */
    void sendTo(int node, Call call);

    /** Whether changes of what was read are pushed to us. */
    boolean pushes();

    /** What runs out or must be asked for now and then; called four times a second. */
    void pulse();

    /** What is missing for full service, in words; empty if nothing. */
    String shortcomings();

    /** Ends all connections; every call in flight fails. */
    void close();
}
