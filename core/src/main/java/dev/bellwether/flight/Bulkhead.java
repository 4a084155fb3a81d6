// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Lets so many computations run at once while the store cannot share their results; the others wait their turn. */
final class Bulkhead {
    private final AtomicInteger free;
    private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    Bulkhead(int permits) {
        free = new AtomicInteger(permits);
    }

    /** Runs the start now or when its turn comes; each start is followed by one {@link #leave}. */
    void enter(Runnable start) {
        waiting.add(start);
        admit();
    }

    void leave() {
        free.incrementAndGet();
        admit();
    }

    private void admit() {
        while (takePermit()) {
            Runnable next = waiting.poll();
            if (next != null) {
                next.run();
                return;
            }
            free.incrementAndGet();
            if (waiting.isEmpty()) return; // else one came in between: try again
        }
    }

    private boolean takePermit() {
        return free.getAndUpdate(permits -> permits > 0 ? permits - 1 : 0) > 0;
    }
}
