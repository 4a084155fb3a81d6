// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import org.jspecify.annotations.Nullable;

/** Something whose memory is to be given back some time. Its links belong to {@link Expirations}. */
abstract class Expiring {
    /** What {@link #sweep} answers when nothing is left to wait for. */
    static final long GONE = Long.MAX_VALUE;

    Expirations.@Nullable Bucket bucket;

    @Nullable
    Expiring previous;

    @Nullable
    Expiring next;

    /**
     * Gives back what has ended, in a few steps at most; answers the microsecond to look again (one that has passed if
     * there is more to do), or {@link #GONE}.
     */
    abstract long sweep(Moment moment);
}
