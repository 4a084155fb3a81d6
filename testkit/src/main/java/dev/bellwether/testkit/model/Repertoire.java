// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Line;
import dev.bellwether.spi.LeaseRequest.Share;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.RequestId;
import dev.bellwether.spi.Tokens;
import dev.bellwether.spi.Version;
import dev.bellwether.testkit.model.RandomHistory.Part;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes up the next request, out of few names so that requests meet. */
final class Repertoire {
    private static final int OWNERS = 4;

    private final Known known;
    private final Set<Part> parts;
    private final boolean ranges;
    private final boolean exact;
    private final List<KvKey> keys = new ArrayList<>();
    private final List<LeaseName> leases = new ArrayList<>();
    private final QueueRepertoire queues;
    private final long[] generation = new long[OWNERS];
    private long requests;

    Repertoire(Known known, Set<Part> parts, boolean ranges, boolean crossing, boolean exact) {
        this.known = known;
        this.parts = EnumSet.copyOf(parts);
        this.ranges = ranges;
        this.exact = exact;
        Partition one = new Partition(Bytes.utf8("one"));
        Partition other = crossing ? new Partition(Bytes.utf8("other")) : one;
        for (String name : List.of("a", "b", "c")) keys.add(new KvKey(one, Bytes.utf8(name)));
        keys.add(new KvKey(other, Bytes.of((byte) 0, (byte) 0xff)));
        leases.add(new LeaseName(one, Bytes.utf8("whole")));
        leases.add(new LeaseName(other, Bytes.utf8("shared")));
        this.queues = new QueueRepertoire(known, one, other);
    }

    Request<?> next(Random random) {
        Dice dice = new Dice(random, exact);
        Part part = dice.oneOf(List.copyOf(parts));
        int kind = dice.below(100);
        if (kind < 12) return look(dice, part);
        if (kind < 55 || part == Part.ENTRIES) {
            return part == Part.ENTRIES && kind < 30 ? read(dice) : new Request.Change(commit(dice));
        }
        return part == Part.LEASES ? new Request.Acquire(wish(dice, dice.oneOf(leases), true)) : queues.claim(dice);
    }

    private Request<?> read(Dice dice) {
        if (ranges && dice.chance(25)) {
            KvKey from = keys.get(dice.below(2));
            return new Request.Read(new Query.Range(from, keys.get(2), 1 + dice.below(3), dice.chance(50)));
        }
        List<KvKey> asked = new ArrayList<>();
        for (int i = 0; i <= dice.below(4); i++) asked.add(dice.oneOf(keys));
        return new Request.Read(new Query.Keys(asked, dice.chance(30)));
    }

    private Request<?> look(Dice dice, Part part) {
        if (part == Part.ENTRIES) return new Request.Read(new Query.Keys(keys, false));
        if (part == Part.QUEUES) return queues.look(dice);
        return dice.chance(70)
                ? new Request.Look<>(new Inspection.Holding(dice.oneOf(leases)))
                : new Request.Look<>(new Inspection.Leases(Bytes.EMPTY, 100, null));
    }

    private Commit commit(Dice dice) {
        List<Check> checks = new ArrayList<>();
        List<Mutation> mutations = new ArrayList<>();
        if (dice.chance(40)) checks.add(check(dice));
        for (int i = 0, count = 1 + dice.below(3); i < count; i++) mutations.add(mutation(dice));
        // Every commit that does not guard itself carries an id, as the contract asks.
        RequestId id = new RequestId(1, ++requests);
        try {
            return new Commit(id, checks, queues.withoutClash(mutations));
        } catch (IllegalArgumentException twice) {
            return new Commit(id, checks, mutations.subList(0, 1));
        }
    }

    private Check check(Dice dice) {
        Part part = dice.oneOf(List.copyOf(parts));
        if (part == Part.QUEUES) return new Check.Current(queues.receipt(dice, queues.any(dice)));
        if (part == Part.LEASES) return new Check.Held(dice.oneOf(leases), owner(dice, false));
        KvKey key = dice.oneOf(keys);
        return dice.chance(50)
                ? new Check.Vacant(key, dice.chance(50))
                : new Check.Is(key, dice.known(known.versions(key), new Version(12_345)), dice.chance(50));
    }

    private Mutation mutation(Dice dice) {
        Part part = dice.oneOf(List.copyOf(parts));
        if (part == Part.QUEUES) return queues.mutation(dice);
        return part == Part.LEASES ? leaseMutation(dice) : entryMutation(dice);
    }

    private Mutation entryMutation(Dice dice) {
        KvKey key = dice.oneOf(keys);
        return switch (dice.below(6)) {
            case 0 -> new EntryMutation.Delete(key, dice.lengthOrZero());
            case 1 -> new EntryMutation.Touch(key, dice.expiry());
            case 2 ->
                new EntryMutation.Count(
                        key,
                        dice.oneOf(List.of(EntryMutation.Op.values())),
                        dice.number(),
                        dice.oneOf(List.of(EntryMutation.Overflow.values())),
                        dice.expiry());
            default -> new EntryMutation.Put(key, dice.value(), dice.expiry());
        };
    }

    private Mutation leaseMutation(Dice dice) {
        LeaseName lease = dice.oneOf(leases);
        Owner owner = owner(dice, false);
        return switch (dice.below(10)) {
            case 0, 1 -> new LeaseMutation.Take(wish(dice, lease, false));
            case 2, 3 ->
                new LeaseMutation.Renew(
                        lease,
                        owner,
                        dice.length(),
                        dice.chance(60) ? null : range(dice, lease),
                        share(taste(owner, lease), lease));
            case 4 -> new LeaseMutation.Leave(lease, owner);
            case 5 ->
                new LeaseMutation.Break(
                        lease, dice.chance(40) ? null : range(dice, lease).last(), dice.chance(50));
            default -> new LeaseMutation.Release(lease, owner, quiet(dice));
        };
    }

    private Tokens range(Dice dice, LeaseName lease) {
        return dice.known(known.tokens(lease), new Tokens(5, 9));
    }

    private static Quiet quiet(Dice dice) {
        return dice.chance(70) ? Quiet.NONE : new Quiet(dice.lengthOrZero(), dice.value());
    }

    private Owner owner(Dice dice, boolean mayBeFresh) {
        int who = dice.below(OWNERS);
        if (mayBeFresh && dice.chance(25)) generation[who]++;
        return new Owner(who + 1L, generation[who]);
    }

    /** One owner always asks for the same, but for its patience with the answer. */
    private LeaseRequest wish(Dice dice, LeaseName lease, boolean acquires) {
        Owner owner = owner(dice, true);
        Dice taste = taste(owner, lease);
        Share share = share(taste, lease);
        boolean forgetful = taste.chance(25);
        Duration retain = forgetful ? Duration.ZERO : taste.length();
        int tokens = forgetful || taste.chance(50) ? 1 : 33;
        Line line = new Line(taste.length(), taste.length(), taste.lengthOrZero());
        boolean waits = acquires && dice.chance(60);
        return new LeaseRequest(
                lease,
                owner,
                dice.length(),
                share,
                tokens,
                retain,
                waits ? line : null,
                acquires ? unless(dice, lease) : null,
                dice.chance(20));
    }

    private Dice taste(Owner owner, LeaseName lease) {
        return new Dice(new Random(owner.hashCode() * 31L + lease.hashCode()), exact);
    }

    private Share share(Dice taste, LeaseName lease) {
        return lease.equals(leases.get(0)) ? Share.WHOLE : new Share(1 + taste.below(3), taste.chance(90) ? 3 : 4);
    }

    private LeaseRequest.@Nullable Unless unless(Dice dice, LeaseName lease) {
        KvKey key = dice.oneOf(keys);
        if (dice.chance(80) || !key.partition().equals(lease.partition())) return null;
        return new LeaseRequest.Unless(key, dice.known(known.versions(key), Version.NONE));
    }
}
