// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.engine;

import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Subscription;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;

/**
 * Hands the hints of one backend to those who wait for them. Thread-safe. What is registered runs on the backend's
 * thread: short, without blocking, and prepared to run without a reason.
 */
public final class Hints {
    private static final System.Logger LOG = System.getLogger("dev.bellwether");

    private record Turn(Owner owner) {}

    /** By identity: who registers the same reaction twice ends one registration at a time. */
    private static final class Registration {
        final Runnable reaction;

        Registration(Runnable reaction) {
            this.reaction = reaction;
        }
    }

    private final ConcurrentHashMap<Object, Set<Registration>> waiting = new ConcurrentHashMap<>();
    // Every held lease registers here: a set that copies on write would make holding many of them quadratic.
    private final Set<Consumer<? super Hint>> all = ConcurrentHashMap.newKeySet();
    private final Subscription subscription;

    Hints(KvBackend backend) {
        subscription = backend.listen(this::tell);
    }

    public Subscription onChanged(KvKey key, Runnable reaction) {
        return register(key, reaction);
    }

    public Subscription onFreed(LeaseName lease, Runnable reaction) {
        return register(lease, reaction);
    }

    public Subscription onPassed(Owner owner, Runnable reaction) {
        return register(new Turn(owner), reaction);
    }

    public Subscription onDue(QueueName queue, Runnable reaction) {
        return register(queue, reaction);
    }

    /** Every hint, doubt included. */
    public Subscription onAny(Consumer<? super Hint> reaction) {
        all.add(reaction);
        return () -> all.remove(reaction);
    }

    /** How many registrations there are: zero when nobody waits. */
    public int size() {
        return waiting.size() + all.size();
    }

    private Subscription register(Object what, Runnable reaction) {
        Registration registration = new Registration(reaction);
        waiting.compute(what, (key, present) -> {
            Set<Registration> registered = present == null ? new CopyOnWriteArraySet<>() : present;
            registered.add(registration);
            return registered;
        });
        return () -> waiting.computeIfPresent(what, (key, reactions) -> {
            reactions.remove(registration);
            return reactions.isEmpty() ? null : reactions;
        });
    }

    private void tell(Hint hint) {
        for (Consumer<? super Hint> reaction : all) guarded(() -> reaction.accept(hint));
        if (hint instanceof Hint.Changed changed) {
            run(changed.key());
        } else if (hint instanceof Hint.Freed freed) {
            run(freed.lease());
        } else if (hint instanceof Hint.Passed passed) {
            run(new Turn(passed.owner()));
        } else if (hint instanceof Hint.Due due) {
            run(due.queue());
        } else {
            waiting.keySet().forEach(this::run); // doubt: everybody looks again
        }
    }

    private void run(Object what) {
        Set<Registration> registered = waiting.get(what);
        if (registered != null) registered.forEach(one -> guarded(one.reaction));
    }

    private static void guarded(Runnable reaction) {
        try {
            reaction.run();
        } catch (RuntimeException failure) {
            LOG.log(System.Logger.Level.ERROR, "a reaction to a hint failed", failure);
        }
    }

    void close() {
        subscription.close();
        waiting.clear();
        all.clear();
    }
}
