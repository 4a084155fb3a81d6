// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.spi.StoreTime;
import dev.bellwether.time.Timer;

/** The server's clock as seen from here: exact in replies of scripts, carried on by our own monotonic clock between them. */
final class StoreClock {
    /*
     * A reply that says "it is s" and that was asked for between the local moments a and b proves that the server's clock
     * showed s at some moment between them; we take the middle, and half the trip as the error. The error grows by the
     * rate at which two clocks may drift apart. The better of the old and the new observation is kept.
     */

    /** Parts per million by which two clocks may differ; the laws rest on 1 %, real clocks on a fraction of this. */
    private static final long DRIFT_PPM = 500;

    private record Sight(long micros, long nanos, long error) {
        long errorAt(long now) {
            return error + (now - nanos) / 1_000 * DRIFT_PPM / 1_000_000;
        }

        StoreTime at(long now) {
            return new StoreTime(micros + (now - nanos) / 1_000, Math.max(1, errorAt(now)));
        }
    }

    private final Timer timer;
    private volatile Sight sight;

    StoreClock(Timer timer) {
        this.timer = timer;
        // Before the first reply: our own clock, with an error that says that nothing is known.
        this.sight = new Sight(timer.epochMicros(), timer.nanoTime(), Long.MAX_VALUE / 4);
    }

    /** A reply said so; the request left at that local moment. */
    void observe(long micros, long sentNanos) {
        long now = timer.nanoTime();
        long error = (now - sentNanos) / 2_000 + 1;
        Sight known = sight;
        long predicted = known.micros + (now - known.nanos) / 1_000;
        boolean contradicts = Math.abs(predicted - micros) > known.errorAt(now) + 2 * error; // the clock was set
        if (contradicts || error <= known.errorAt(now))
            sight = new Sight(micros, sentNanos + (now - sentNanos) / 2, error);
    }

    StoreTime now() {
        return sight.at(timer.nanoTime());
    }
}
