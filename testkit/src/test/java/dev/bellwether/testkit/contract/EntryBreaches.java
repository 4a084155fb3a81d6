// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static dev.bellwether.testkit.contract.Altered.mutations;
import static dev.bellwether.testkit.contract.Altered.queries;
import static dev.bellwether.testkit.contract.Altered.readings;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.EntryMutation.Touch;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Backends that get entries, their versions, ends and names wrong. */
final class EntryBreaches {
    static final List<Breach> ALL = List.of(
            Breach.of("versions restart after a delete", VersionsRestart::new, Law.VERSIONS),
            Breach.of("an overwritten value keeps its version", StandingVersion::new, Law.VERSIONS),
            Breach.of("forgets deletes", remembering(length -> Duration.ZERO), Law.TOMBSTONES, Law.VERSIONS),
            Breach.of("remembers deletes too long", remembering(EntryBreaches::lengthened), Law.TOMBSTONES),
            Breach.of("expires a millisecond late", living(EntryBreaches::lengthened), Law.EXPIRY),
            Breach.of("expires a millisecond early", living(EntryBreaches::shortened), Law.EXPIRY),
            Breach.of("rounds lives down", living(l -> Duration.ofMillis(l.toMillis())), Law.EXPIRY),
            Breach.of("serves what has expired", ServesExpired::new, Law.EXPIRY),
            Breach.of("wraps long lives", living(EntryBreaches::wrapped), Law.FOREVER),
            Breach.of("takes Keep for Never", expiring(e -> e == Expiry.KEEP ? Expiry.NEVER : e), Law.KEEP),
            Breach.of("keeps where Never was asked", expiring(e -> e == Expiry.NEVER ? Expiry.KEEP : e), Law.KEEP),
            Breach.of("takes names for text", TextNames::new, Law.NAMES),
            Breach.of("takes an empty value for none", readings(EntryBreaches::withoutEmpty), Law.SIZES),
            Breach.of("cuts large values", mutations(EntryBreaches::cut), Law.SIZES),
            Breach.of("answers a repeated key once", queries(EntryBreaches::distinct), Law.READS),
            Breach.of("answers in order of keys", queries(EntryBreaches::sorted), Law.READS),
            Breach.of(
                    "scans forward only", ranges(r -> new Query.Range(r.from(), r.to(), r.limit(), false)), Law.RANGES),
            Breach.of("includes the end of a range", ranges(EntryBreaches::inclusive), Law.RANGES),
            Breach.of(
                    "never says that a range was cut",
                    readings(r -> new Reading(r.entries(), false, r.now())),
                    Law.RANGES));

    private EntryBreaches() {}

    private static Duration lengthened(Duration length) {
        return length.isZero() || length.toSeconds() > 1L << 40 ? length : length.plusMillis(1);
    }

    private static Duration shortened(Duration length) {
        return length.isZero() ? length : length.minusMillis(1);
    }

    private static Duration wrapped(Duration length) {
        return length.toDays() > 36_500 ? Duration.ZERO : length;
    }

    private static UnaryOperator<KvBackend> living(UnaryOperator<Duration> change) {
        return expiring(e -> e instanceof Expiry.After after ? Expiry.after(change.apply(after.length())) : e);
    }

    private static UnaryOperator<KvBackend> expiring(UnaryOperator<Expiry> change) {
        return mutations(mutation -> {
            if (mutation instanceof Put put) return new Put(put.key(), put.value(), change.apply(put.expiry()));
            if (mutation instanceof Touch touch) return new Touch(touch.key(), change.apply(touch.expiry()));
            return mutation;
        });
    }

    private static UnaryOperator<KvBackend> remembering(UnaryOperator<Duration> change) {
        return mutations(m -> m instanceof Delete d ? new Delete(d.key(), change.apply(d.remember())) : m);
    }

    private static UnaryOperator<KvBackend> ranges(UnaryOperator<Query.Range> change) {
        return queries(query -> query instanceof Query.Range range ? change.apply(range) : query);
    }

    private static Query.Range inclusive(Query.Range range) {
        KvKey to = range.to();
        KvKey after = new KvKey(to.partition(), to.name().plus(Bytes.of((byte) 0)));
        return new Query.Range(range.from(), after, range.limit(), range.reverse());
    }

    private static Query distinct(Query query) {
        if (!(query instanceof Query.Keys keys)) return query;
        return new Query.Keys(List.copyOf(new LinkedHashSet<>(keys.keys())), keys.arm());
    }

    private static Query sorted(Query query) {
        if (!(query instanceof Query.Keys keys)) return query;
        List<KvKey> copy = new ArrayList<>(keys.keys());
        Collections.sort(copy);
        return new Query.Keys(copy, keys.arm());
    }

    private static Reading withoutEmpty(Reading reading) {
        return mapped(
                reading,
                entry -> entry instanceof KvEntry.Present present
                                && present.value().isEmpty()
                        ? new KvEntry.Absent(entry.key(), Version.NONE)
                        : entry);
    }

    private static Mutation cut(Mutation mutation) {
        if (!(mutation instanceof Put put) || put.value().length() < 1 << 20) return mutation;
        byte[] start = Arrays.copyOf(put.value().toArray(), 1 << 20);
        return new Put(put.key(), Bytes.wrap(start), put.expiry());
    }

    private static Reading mapped(Reading reading, UnaryOperator<KvEntry> change) {
        return new Reading(reading.entries().stream().map(change).toList(), reading.more(), reading.now());
    }

    private static KvEntry withVersion(KvEntry entry, Version version) {
        return entry instanceof KvEntry.Present present
                ? new KvEntry.Present(entry.key(), version, present.value(), present.expiresAtMillis())
                : new KvEntry.Absent(entry.key(), version);
    }

    private static final class VersionsRestart extends Altered {
        private final Set<KvKey> deleted = new HashSet<>();

        VersionsRestart(KvBackend real) {
            super(real);
        }

        private static Version lowered(Version version) {
            return new Version(version.value() - (1L << 40));
        }

        @Override
        public CompletionStage<CommitReply> commit(Commit commit) {
            boolean restarted = commit.mutations().stream()
                    .anyMatch(m -> m instanceof EntryMutation entry && deleted.contains(entry.key()));
            for (Mutation mutation : commit.mutations()) {
                if (mutation instanceof Delete delete) deleted.add(delete.key());
            }
            return real.commit(commit)
                    .thenApply(reply -> restarted && reply instanceof CommitReply.Committed done
                            ? new CommitReply.Committed(lowered(done.version()), done.outcomes(), done.now())
                            : reply);
        }
    }

    /** The version of the first value, for ever. */
    private static final class StandingVersion extends Altered {
        private final Map<KvKey, Version> first = new HashMap<>();

        StandingVersion(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<Reading> read(Query query) {
            return real.read(query).thenApply(reading -> mapped(reading, this::standing));
        }

        private KvEntry standing(KvEntry entry) {
            if (entry.version().equals(Version.NONE)) return entry;
            Version version = first.computeIfAbsent(
                    entry.key(), key -> new Version(entry.version().value() - 1));
            return withVersion(entry, version);
        }
    }

    private static final class ServesExpired extends Altered {
        private final Map<KvKey, KvEntry> seen = new HashMap<>();

        ServesExpired(KvBackend real) {
            super(real);
        }

        @Override
        public CompletionStage<Reading> read(Query query) {
            return real.read(query)
                    .thenApply(reading -> mapped(reading, entry -> {
                        if (entry instanceof KvEntry.Present) seen.put(entry.key(), entry);
                        return entry.version().equals(Version.NONE) ? seen.getOrDefault(entry.key(), entry) : entry;
                    }));
        }
    }

    private static final class TextNames extends Altered {
        TextNames(KvBackend real) {
            super(real);
        }

        private static KvKey text(KvKey key) {
            return new KvKey(key.partition(), Bytes.utf8(key.name().utf8()));
        }

        @Override
        public CompletionStage<CommitReply> commit(Commit commit) {
            if (!commit.mutations().stream().allMatch(Put.class::isInstance)) return real.commit(commit);
            List<Outcome> outcomes = new ArrayList<>();
            CommitReply last = null;
            for (Mutation mutation : commit.mutations()) {
                Put put = (Put) mutation;
                last = act(new Put(text(put.key()), put.value(), put.expiry()));
                outcomes.add(Outcome.DONE);
            }
            return CompletableFuture.completedStage(committed(last, outcomes));
        }

        private static CommitReply committed(@Nullable CommitReply last, List<Outcome> outcomes) {
            if (!(last instanceof CommitReply.Committed done)) throw new IllegalStateException("not put: " + last);
            return new CommitReply.Committed(done.version(), outcomes, done.now());
        }

        @Override
        public CompletionStage<Reading> read(Query query) {
            if (!(query instanceof Query.Keys keys)) return real.read(query);
            return real.read(
                    new Query.Keys(keys.keys().stream().map(TextNames::text).toList(), keys.arm()));
        }
    }
}
