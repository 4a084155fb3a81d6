// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.QueueMutation.Ack;
import dev.bellwether.spi.QueueMutation.Bury;
import dev.bellwether.spi.QueueMutation.Retry;
import dev.bellwether.spi.QueueMutation.Settlement;
import dev.bellwether.spi.Receipt;
import java.time.Duration;

/** How a delivery is to be settled. */
sealed interface Verdict {
    Settlement settlement(Receipt receipt);

    /** How the listener hears of it. */
    BellwetherListener.Settlement told();

    /** Whether the message is not delivered any more. */
    default boolean isFinal() {
        return true;
    }

    record Done() implements Verdict {
        static final Done DONE = new Done();

        @Override
        public Settlement settlement(Receipt receipt) {
            return new Ack(receipt);
        }

        @Override
        public BellwetherListener.Settlement told() {
            return BellwetherListener.Settlement.DONE;
        }
    }

    /** Another attempt after the delay; one that did not fail does not count. */
    record Again(Duration delay, boolean failed) implements Verdict {
        static final Again RELEASE = new Again(Duration.ZERO, false);

        @Override
        public Settlement settlement(Receipt receipt) {
            return new Retry(receipt, delay, failed);
        }

        @Override
        public BellwetherListener.Settlement told() {
            return failed ? BellwetherListener.Settlement.RETRY : BellwetherListener.Settlement.RELEASED;
        }

        @Override
        public boolean isFinal() {
            return false;
        }
    }

    /** To the dead letters. */
    record Dead(String reason, Bytes detail) implements Verdict {
        /** What the store itself writes when it gives a message up. */
        static final String CRASHED = "crashed";

        @Override
        public Settlement settlement(Receipt receipt) {
            return new Bury(receipt, reason, detail);
        }

        @Override
        public BellwetherListener.Settlement told() {
            return BellwetherListener.Settlement.DEAD;
        }
    }
}
