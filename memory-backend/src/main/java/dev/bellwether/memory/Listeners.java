// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Subscription;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Those who are told every hint. Thread-safe; tells on the thread that calls, without any lock. */
final class Listeners {
    private static final System.Logger LOG = System.getLogger("dev.bellwether.memory");

    private final List<Ear> ears = new CopyOnWriteArrayList<>();

    /** Compared by identity, so that one consumer can listen twice and end each by itself. */
    private static final class Ear {
        private final Consumer<? super Hint> listener;

        private Ear(Consumer<? super Hint> listener) {
            this.listener = listener;
        }

        private void tell(Hint hint) {
            try {
                listener.accept(hint);
            } catch (RuntimeException failure) {
                LOG.log(System.Logger.Level.WARNING, "a listener failed on " + hint + "; the others go on", failure);
            }
        }
    }

    Subscription add(Consumer<? super Hint> listener) {
        Ear ear = new Ear(listener);
        ears.add(ear);
        return () -> ears.remove(ear);
    }

    void tell(List<Hint> hints) {
        for (Hint hint : hints) {
            for (Ear ear : ears) ear.tell(hint);
        }
    }

    void clear() {
        ears.clear();
    }
}
