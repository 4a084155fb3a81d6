// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Engine;
import dev.bellwether.error.LeaseLostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** That a lease was lost, told once to everybody who wants to know. Thread-safe. */
final class Loss {
    private static final System.Logger LOG = System.getLogger("dev.bellwether.lock");

    private final Engine engine;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Consumer<? super LeaseLostException>> reactions = new ArrayList<>(0);
    private volatile @Nullable LeaseLostException cause;

    Loss(Engine engine) {
        this.engine = engine;
    }

    @Nullable
    LeaseLostException cause() {
        return cause;
    }

    /** Runs the user's reaction on the executor. */
    void react(Consumer<? super LeaseLostException> reaction) {
        reactAtOnce(loss -> execute(() -> reaction.accept(loss)));
    }

    /** Runs the reaction on the thread that tells, which must not block. */
    void reactAtOnce(Consumer<? super LeaseLostException> reaction) {
        LeaseLostException known;
        lock.lock();
        try {
            known = cause;
            if (known == null) reactions.add(reaction);
        } finally {
            lock.unlock();
        }
        if (known != null) reaction.accept(known);
    }

    void tell(LeaseLostException loss) {
        List<Consumer<? super LeaseLostException>> told;
        lock.lock();
        try {
            if (cause != null) return;
            cause = loss;
            told = List.copyOf(reactions);
            reactions.clear();
        } finally {
            lock.unlock();
        }
        told.forEach(reaction -> reaction.accept(loss));
    }

    private void execute(Runnable reaction) {
        Runnable guarded = () -> {
            try {
                reaction.run();
            } catch (RuntimeException failure) {
                LOG.log(System.Logger.Level.WARNING, "a reaction to a lost lease threw", failure);
            }
        };
        try {
            engine.executor().execute(guarded);
        } catch (RejectedExecutionException closed) {
            LOG.log(System.Logger.Level.WARNING, "a lost lease could not be told: the executor is shut down");
        }
    }
}
