// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static dev.bellwether.testkit.contract.Altered.hints;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Capabilities;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Limits;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Backends that lose hints, or do not end well. */
final class ClientBreaches {
    static final List<Breach> ALL = List.of(
            Breach.of("loses every change", hints(hint -> !(hint instanceof Hint.Changed)), Law.CHANGED_HINT),
            Breach.of("does not arm what is absent", ArmsOnlyPresent::new, Law.CHANGED_HINT),
            Breach.of("hints one change in two", EverySecond::new, Law.CHANGED_HINT),
            Breach.of("loses freed leases", hints(hint -> !(hint instanceof Hint.Freed)), Law.LEASE_HINTS),
            Breach.of("loses turns", hints(hint -> !(hint instanceof Hint.Passed)), Law.LEASE_HINTS),
            Breach.of("tells a turn to somebody else", TellsAnother::new, Law.LEASE_HINTS),
            Breach.of("loses what is due", hints(hint -> !(hint instanceof Hint.Due)), Law.DUE_HINT),
            Breach.of("cannot close a subscription", NeverUnsubscribes::new, Law.LISTENERS),
            Breach.of("falls silent after a listener that throws", FallsSilent::new, Law.LISTENERS),
            Breach.of("serves after it was closed", ServesClosed::new, Law.CLOSING),
            Breach.of("fails as something else when closed", FailsOtherwise::new, Law.CLOSING),
            Breach.of("throws when closed", ThrowsClosed::new, Law.CLOSING),
            Breach.of("closes once only", ClosesOnce::new, Law.CLOSING),
            Breach.of("takes null", TakesNull::new, Law.ARGUMENTS),
            Breach.of("refuses null without a word", RefusesMutely::new, Law.ARGUMENTS),
            Breach.of("remembers too short a time", Altered.capable(ClientBreaches::forgetful), Law.ARGUMENTS));

    private ClientBreaches() {}

    private static Capabilities forgetful(Capabilities all) {
        Limits l = all.limits();
        return new Capabilities(
                all.powers(),
                new Limits(l.maxValueBytes(), l.maxCommitBytes(), l.maxOperations(), Duration.ofSeconds(1)));
    }

    private static final class ArmsOnlyPresent extends Altered {
        private final Set<KvKey> absent = ConcurrentHashMap.newKeySet();

        ArmsOnlyPresent(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<Reading> read(Query query) {
            return real.read(query).thenApply(reading -> {
                reading.entries().forEach(this::note);
                return reading;
            });
        }

        private void note(KvEntry entry) {
            absent.remove(entry.key());
            if (entry instanceof KvEntry.Absent) absent.add(entry.key());
        }

        @Override
        public Subscription listen(Consumer<? super Hint> listener) {
            return real.listen(hint -> {
                if (!(hint instanceof Hint.Changed changed && absent.contains(changed.key()))) listener.accept(hint);
            });
        }
    }

    private static final class EverySecond extends Altered {
        private final AtomicBoolean odd = new AtomicBoolean();

        EverySecond(KvBackend real) {
            super(real);
        }

        @Override
        public Subscription listen(Consumer<? super Hint> listener) {
            return real.listen(hint -> {
                boolean passes = odd.get();
                odd.set(!passes);
                if (passes) listener.accept(hint);
            });
        }
    }

    private static final class TellsAnother extends Altered {
        TellsAnother(KvBackend real) {
            super(real);
        }

        @Override
        public Subscription listen(Consumer<? super Hint> listener) {
            return real.listen(hint -> listener.accept(
                    hint instanceof Hint.Passed passed ? new Hint.Passed(passed.lease(), new Owner(1, 1)) : hint));
        }
    }

    private static final class NeverUnsubscribes extends Altered {
        NeverUnsubscribes(KvBackend real) {
            super(real);
        }

        @Override
        public Subscription listen(Consumer<? super Hint> listener) {
            Subscription kept = real.listen(listener);
            return () -> Objects.requireNonNull(kept);
        }
    }

    private static final class FallsSilent extends Altered {
        private final AtomicBoolean silent = new AtomicBoolean();

        FallsSilent(KvBackend real) {
            super(real);
        }

        @Override
        public Subscription listen(Consumer<? super Hint> listener) {
            return real.listen(hint -> {
                if (silent.get()) return;
                try {
                    listener.accept(hint);
                } catch (RuntimeException e) {
                    silent.set(true);
                }
            });
        }
    }

    private static final class ServesClosed extends Altered {
        ServesClosed(KvBackend real) {
            super(real);
        }

        @Override
        public void close() {}
    }

    private static final class FailsOtherwise extends Altered {
        FailsOtherwise(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<Reading> read(Query query) {
            return real.read(query).handle((reading, failure) -> {
                if (failure != null) throw new IllegalStateException("closed", failure);
                return reading;
            });
        }
    }

    private static final class ThrowsClosed extends Altered {
        private final AtomicBoolean closed = new AtomicBoolean();

        ThrowsClosed(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<Reading> read(Query query) {
            if (closed.get()) throw new IllegalStateException("closed");
            return real.read(query);
        }

        @Override
        public void close() {
            closed.set(true);
            real.close();
        }
    }

    private static final class ClosesOnce extends Altered {
        private final AtomicBoolean closed = new AtomicBoolean();

        ClosesOnce(KvBackend real) {
            super(real);
        }

        @Override
        public void close() {
            if (closed.getAndSet(true)) throw new IllegalStateException("closed twice");
            real.close();
        }
    }

    private static final class TakesNull extends Altered {
        TakesNull(KvBackend real) {
            super(real);
        }

        @Override
        @SuppressWarnings("NullAway") // what comes is null, whatever the type says
        public CompletionStage<Reading> read(Query query) {
            if (query != null) return real.read(query);
            return real.read(
                    new Query.Keys(List.of(new KvKey(new Partition(Bytes.utf8("p")), Bytes.utf8("k"))), false));
        }
    }

    private static final class RefusesMutely extends Altered {
        RefusesMutely(KvBackend real) {
            super(real);
        }

        @Override
        @SuppressWarnings("NullAway") // what comes is null, whatever the type says
        public CompletionStage<Reading> read(Query query) {
            if (query == null) return CompletableFuture.failedStage(new NullPointerException());
            return real.read(query);
        }
    }
}
