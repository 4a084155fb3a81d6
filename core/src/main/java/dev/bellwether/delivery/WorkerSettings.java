// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.queue.Worker;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** What the user chose for a worker, and what it means for one delivery. Immutable. */
record WorkerSettings<T>(
        int concurrency,
        Duration lease,
        @Nullable Duration atMost,
        Executor executor,
        RetryPolicy policy,
        double redeliver,
        Worker.WithDelivery<T> handler) {
    private static final System.Logger LOG = System.getLogger("dev.bellwether");

    /** Runs the handler, whatever it does, and decides. */
    Verdict verdictOn(OpenDelivery<T> delivery, DoubleSupplier chance) {
        try {
            delivery.open();
            if (delivery.isObsolete()) return Verdict.Done.DONE;
            if (delivery.crashes() >= policy.maxCrashes()) return policy.crashedTooOften(delivery.crashes());
            handler.handle(delivery.message(), delivery);
        } catch (Throwable failure) { // an Error of a handler is a failed attempt as well
            return logged(delivery, policy.failed(delivery.failures(), failure), failure);
        }
        return returned(delivery, chance);
    }

    private Verdict returned(OpenDelivery<T> delivery, DoubleSupplier chance) {
        Verdict decision = delivery.decision();
        if (decision instanceof Verdict.Again again && again.failed()) {
            return policy.askedAgain(delivery.failures(), again.delay());
        }
        if (decision != null) return decision;
        boolean onceMore = redeliver > 0 && delivery.isFirst() && chance.getAsDouble() < redeliver;
        return onceMore ? Verdict.Again.RELEASE : Verdict.Done.DONE;
    }

    /** What becomes of it should the handler run out of time. */
    Verdict overrun(OpenDelivery<T> delivery) {
        return policy.failed(delivery.failures(), new TimeoutException("the handler ran longer than " + atMost));
    }

    private static Verdict logged(OpenDelivery<?> delivery, Verdict verdict, Throwable failure) {
        boolean dead = verdict instanceof Verdict.Dead;
        LOG.log(
                dead ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
                () -> "attempt " + delivery.attempt() + " at message " + delivery.id() + " failed"
                        + (dead ? "; it is dead" : ""),
                failure);
        return verdict;
    }
}
