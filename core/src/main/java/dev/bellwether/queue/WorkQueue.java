// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.queue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * Messages of one type, each handled until it is done. Thread-safe; needs no closing. Keep the object: enqueues through
 * one object that meet while a request is on its way share the next one.
 *
 * <p>Every method that speaks to the store blocks until it has answered, for 10 s at most, and throws
 * {@code BackendUnavailableException} (nothing happened), {@code OutcomeUnknownException} (it may have) or
 * {@code ClosedException}; on interrupt {@code CancellationException} if nothing was sent, else
 * {@code OutcomeUnknownException}, with the flag kept. Not for implementation outside, but for fakes in tests.
 */
public interface WorkQueue<T> {
    String name();

    /**
     * Returns the id once the store has the message.
     *
     * @throws dev.bellwether.error.RejectedException if the queue is at its bound; nothing was enqueued
     * @throws dev.bellwether.error.BackendUnavailableException nothing was enqueued
     * @throws dev.bellwether.error.OutcomeUnknownException it may be; the same {@link Envelope#dedupe} makes a repeat
     *     harmless
     * @throws dev.bellwether.error.BellwetherException if the message cannot be encoded
     * @throws IllegalArgumentException if the encoded message is larger than the backend's limit
     */
    String enqueue(T message);

    String enqueue(T message, Duration delay);

    String enqueue(T message, Envelope envelope);

    /**
     * All or none, in order, one round trip.
     *
     * @throws IllegalArgumentException if they are more, or larger, than one commit of the backend may be
     */
    List<String> enqueueAll(Collection<? extends T> messages);

    /** Removes a message that waits, or lies with the dead letters. False if it was handled, is being handled, or never was. */
    boolean cancel(String id);

    /**
     * Makes a message recur: it is enqueued for the next occurrence now, and for the one after that in the very commit
     * that ends each delivery. There is one waiting occurrence for each schedule name, however many processes say this,
     * and however often: the last one to say it decides message and recurrence. An occurrence is never enqueued while
     * the one before it is still being tried; those missed meanwhile are skipped.
     */
    void recurring(String schedule, Recurrence recurrence, T message);

    /** Ends a schedule; an occurrence that is being handled is the last one. */
    void endRecurring(String schedule);

    Worker.Builder<T> worker();

    DeadLetters<T> deadLetters();

    /** From its return on nothing is handed out any more, in any process; what was handed out goes on. */
    void pause();

    void resume();

    Stats stats();

    /**
     * The next messages, those ready before those delayed, without taking them; any that does not decode is left out.
     *
     * @param limit at most 10,000
     */
    List<T> peek(int limit);

    /** A view through which nothing is enqueued once this many messages live in the queue (1 million). */
    WorkQueue<T> bounded(long maxMessages);

    AsyncWorkQueue<T> async();

    /**
     * Counts at one moment.
     *
     * @param delayed waiting for their time, for another attempt, or behind another message of their group
     * @param inFlight handed to a worker and not settled yet
     * @param oldestReady how long the oldest ready message has been waiting; zero if there is none
     */
    record Stats(long ready, long delayed, long inFlight, long dead, Duration oldestReady, boolean paused) {}
}
