// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.queue;

import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/** Messages that were given up, with the reason. They stay until somebody requeues or purges them. Thread-safe. */
public interface DeadLetters<T> {
    /** Oldest first, read page by page as the stream is consumed; nothing to close. */
    Stream<Letter<T>> stream();

    Optional<Letter<T>> find(String id);

    /** Purges as many as there are when it begins, in slices, and says how many it purged. */
    long purgeAll();

    /** One dead message as it stood when it was read. */
    interface Letter<T> {
        String id();

        /** Empty if the bytes cannot be decoded, which may be why it is here. */
        Optional<T> message();

        String reason();

        /** Attempts that failed, and deliveries whose process died. */
        int attempts();

        Instant diedAt();

        /** Back into the queue with fresh attempts; false if it is not here any more. */
        boolean requeue();

        /** Removes it for good; false if it is not here any more. */
        boolean purge();
    }
}
