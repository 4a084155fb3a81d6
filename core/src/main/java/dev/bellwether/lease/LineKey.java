// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest.Share;
import java.time.Duration;

/**
 * What those who wait in one line of this process have in common, so that the one who asks the store can ask for any of
 * them.
 *
 * @param label the user's name of the lock, for messages and events
 */
record LineKey(String label, LeaseName lease, Share share, Duration term, boolean fair, boolean handsOn) {
    static LineKey of(String label, LeaseName lease, Share share, LockOptions options) {
        boolean whole = share.weight() == share.capacity();
        return new LineKey(label, lease, share, options.term(), options.fair(), whole && options.allowsHandingOn());
    }

    /** Whether one hold leaves no room for another. */
    boolean isWhole() {
        return share.weight() == share.capacity();
    }
}
