// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.memo;

import dev.bellwether.error.LoadFailedException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.Mutation;
import dev.bellwether.testkit.ManualTime;
import dev.bellwether.testkit.memo.MemoWorld.Profile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What happened in one simulated run, checked against the laws M1 to M6 as it happens and at the end. */
final class MemoHistory {
    /** A counter as it ends a record. */
    private static final int COUNTER_BYTES = 9;

    private final ManualTime time;
    private final Profile profile;
    private final List<Compute> computes = new ArrayList<>();
    private final List<Get> gets = new ArrayList<>();
    private final List<Acknowledged> acknowledged = new ArrayList<>();
    private final Set<Integer> unreliable = new HashSet<>();
    private final Map<Commit, Long> issued = new IdentityHashMap<>();
    private final Map<String, Long> floor = new HashMap<>();
    private final Map<String, List<Long>> disturbed = new HashMap<>();
    private int fills;
    private int refused;
    private @Nullable AssertionError broken;

    /** One run of the loader. */
    static final class Compute {
        final int process;
        final String key;
        final long read;
        final boolean led;
        final long begun;
        long ended = Long.MAX_VALUE;
        boolean failed;

        Compute(int process, String key, long read, boolean led, long begun) {
            this.process = process;
            this.key = key;
            this.read = read;
            this.led = led;
            this.begun = begun;
        }
    }

    /** One call. */
    static final class Get {
        final int process;
        final String key;
        final long start;
        final long ownFloor;
        final long commonFloor;
        long end = Long.MAX_VALUE;

        Get(int process, String key, long start, long ownFloor, long commonFloor) {
            this.process = process;
            this.key = key;
            this.start = start;
            this.ownFloor = ownFloor;
            this.commonFloor = commonFloor;
        }
    }

    private record Acknowledged(int process, String key, long version, long at) {}

    MemoHistory(ManualTime time, Profile profile) {
        this.time = time;
        this.profile = profile;
    }

    /** Notes a breach; it is thrown at the end, since a callback that throws is heard by nobody. */
    void require(boolean holds, String what) {
        if (!holds && broken == null) {
            broken = new AssertionError(what + " (at " + time.nanoTime() / 1_000_000 + " ms)");
        }
    }

    // ---- the loader

    Compute begins(int process, String key, long read, boolean led) {
        Compute compute = new Compute(process, key, read, led, time.nanoTime());
        computes.add(compute);
        if (profile.isFaultless()) {
            require(led, "a computation without the store, though nothing failed");
            for (Compute other : computes) {
                boolean together = other != compute && other.key.equals(key) && other.ended == Long.MAX_VALUE;
                require(
                        !together || wasDisturbed(key, other.begun),
                        "M1: two compute " + key + " at once, and nothing ended the first lead");
            }
        }
        return compute;
    }

    private boolean wasDisturbed(String key, long since) {
        return disturbed.getOrDefault(key, List.of()).stream().anyMatch(at -> at >= since - SimLink.SLOWEST.toNanos());
    }

    void ends(Compute compute, boolean failed) {
        compute.ended = time.nanoTime();
        compute.failed = failed;
    }

    // ---- callers

    Get asks(int process, String key) {
        long now = time.nanoTime();
        long window = SimLink.SLOWEST.toNanos() * 3;
        long own = 0;
        long common = 0;
        for (Acknowledged one : acknowledged) {
            if (!one.key.equals(key)) continue;
            if (one.process == process) own = Math.max(own, one.version);
            if (one.at < now - window) common = Math.max(common, one.version);
        }
        Get get = new Get(process, key, now, own, common);
        gets.add(get);
        return get;
    }

    void cancels(Get get, CompletableFuture<Long> future) {
        if (future.cancel(false)) get.end = time.nanoTime();
    }

    void answered(Get get, @Nullable Long value, @Nullable Throwable failure) {
        get.end = Math.min(get.end, time.nanoTime());
        if (value != null && profile.puts() == 0) {
            require(
                    value >= get.ownFloor,
                    "M6: process " + get.process + " had invalidated version " + (get.ownFloor - 1) + " of " + get.key
                            + " itself and got " + value);
            if (profile.isFaultless()) {
                require(
                        value >= get.commonFloor,
                        "M6: version " + get.commonFloor + " of " + get.key + " was acknowledged long before, process "
                                + get.process + " got " + value);
            }
        }
        if (failure != null && !(failure instanceof java.util.concurrent.CancellationException)) {
            boolean known = failure instanceof LoadFailedException || failure instanceof WaitTimeoutException;
            require(known, "an unexpected failure: " + failure);
            require(
                    !(failure instanceof WaitTimeoutException) || !profile.isFaultless(),
                    "nobody is slow, and yet: " + failure);
        }
    }

    void acknowledged(int process, String key, long version) {
        acknowledged.add(new Acknowledged(process, key, version, time.nanoTime()));
    }

    void dies(int process) {
        unreliable.add(process);
    }

    // ---- the store

    SimLink.Watcher watcher(Map<String, Long> truth) {
        return new SimLink.Watcher() {
            @Override
            public void sent(Commit commit) {
                for (Mutation mutation : commit.mutations()) {
                    if (mutation instanceof Delete delete) issued.putIfAbsent(commit, current(delete.key()));
                    if (isEpoch(mutation)) issued.putIfAbsent(commit, 0L);
                }
            }

            private long current(KvKey key) {
                return truth.getOrDefault(key(key), 0L);
            }

            @Override
            public void applied(Commit commit, CommitReply reply) {
                boolean committed = reply instanceof CommitReply.Committed;
                for (Mutation mutation : commit.mutations()) {
                    if (mutation instanceof Delete delete && committed) {
                        floor.merge(key(delete.key()), issued.getOrDefault(commit, 0L), Math::max);
                    }
                    if (mutation instanceof Break broken && broken.token() == null && committed)
                        disturb(key(broken.lease().name()));
                    if (isEpoch(mutation)) truth.keySet().forEach(MemoHistory.this::disturb);
                    if (mutation instanceof Put put && commit.mutations().size() == 2) put(commit, put, committed);
                }
            }
        };
    }

    private static boolean isEpoch(Mutation mutation) {
        return mutation instanceof Put put && put.value().length() == 1;
    }

    private void disturb(String key) {
        disturbed.computeIfAbsent(key, unused -> new ArrayList<>()).add(time.nanoTime());
    }

    private void put(Commit commit, Put put, boolean committed) {
        boolean isFill =
                commit.mutations().stream().anyMatch(mutation -> mutation instanceof Break end && end.token() != null);
        if (isFill && committed) fills++;
        if (isFill && !committed) refused++;
        if (!isFill || !committed) return; // a put by the user is as new as its caller says
        String key = key(put.key());
        Bytes bytes = put.value();
        byte[] counter = new byte[COUNTER_BYTES];
        bytes.asBuffer().get(bytes.length() - COUNTER_BYTES, counter);
        long value = Counter.decode(Bytes.wrap(counter)).orElseThrow();
        require(
                value >= floor.getOrDefault(key, 0L),
                "M2: version " + value + " of " + key + " was stored after version " + (floor.getOrDefault(key, 0L) - 1)
                        + " had been invalidated");
    }

    private static String key(KvKey key) {
        return key(key.name());
    }

    private static String key(Bytes name) {
        String text = name.utf8();
        return text.substring(text.lastIndexOf(':') + 1);
    }

    // ---- the end

    void rethrow() {
        if (broken != null) throw broken;
    }

    void check() {
        for (Get get : gets) {
            if (unreliable.contains(get.process)) continue;
            require(get.end != Long.MAX_VALUE, "M5: a call for " + get.key + " never ended");
            boolean computed = computes.stream()
                    .anyMatch(one -> one.process == get.process
                            && one.key.equals(get.key)
                            && one.begun <= get.end
                            && one.begun >= get.start);
            Duration most = MemoWorld.MAX_WAIT.plus(MemoWorld.REQUEST.multipliedBy(3));
            if (computed) most = most.plus(MemoWorld.AT_MOST).plus(MemoWorld.AT_MOST);
            Duration took = Duration.ofNanos(get.end - get.start);
            require(took.compareTo(most) <= 0, "M5: a call for " + get.key + " took " + took);
        }
        if (profile.isFaultless()) {
            long ended = computes.stream().filter(one -> !one.failed).count();
            boolean undisturbed = disturbed.isEmpty();
            if (undisturbed) require(refused == 0, "M1: a fill was refused, though nothing ended its lead");
            if (undisturbed) require(fills == ended, "M1: " + ended + " computations for " + fills + " stored values");
        }
    }

    int computes() {
        return computes.size();
    }

    int stored() {
        return fills;
    }
}
