// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.memo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Capabilities;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.Subscription;
import dev.bellwether.spi.Tokens;
import dev.bellwether.testkit.memo.MemoWorld.Profile;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The simulations notice when a law's mechanism is missing: each breach is found by some seed. */
class BrokenMemoTest {
    private static final int SEEDS = 300;
    private static final Profile INVALIDATING =
            new Profile(150, 30, 60, 0, 0, 0, 0, 0, true, Duration.ofMillis(2_500), SimLink.Faults.NONE);
    private static final Profile CALM =
            new Profile(0, 0, 0, 0, 0, 0, 0, 0, true, Duration.ofMillis(2_500), SimLink.Faults.NONE);

    private static String breach(Profile profile, UnaryOperator<KvBackend> breaking) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                new MemoWorld(seed, profile, breaking).run();
            } catch (AssertionError found) {
                return found.getMessage();
            }
        }
        return "nothing was noticed";
    }

    @Test
    void aFillWithoutTheFenceIsNoticedM2() {
        assertThat(breach(INVALIDATING, store -> new Broken(store) {
                    @Override
                    Mutation changed(Mutation mutation, Commit commit) {
                        boolean fence = mutation instanceof Break end && end.token() != null;
                        return fence ? new Break(((Break) mutation).lease(), null, true) : mutation;
                    }
                }))
                .startsWith("M2");
    }

    @Test
    void anInvalidationThatLeavesTheLeaderInOfficeIsNoticedM2() {
        assertThat(breach(INVALIDATING, store -> new Broken(store) {
                    @Override
                    public CompletionStage<CommitReply> commit(Commit commit) {
                        List<Mutation> kept = commit.mutations().stream()
                                .filter(one -> !(one instanceof Break end) || end.token() != null)
                                .toList();
                        boolean invalidates = commit.mutations().get(0) instanceof Delete;
                        return store().commit(invalidates ? new Commit(commit.id(), commit.checks(), kept) : commit);
                    }
                }))
                .startsWith("M2");
    }

    @Test
    void aStoreThatLeadsTwoIsNoticedM1() {
        assertThat(breach(CALM, store -> new Broken(store) {
                    @Override
                    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
                        return store().acquire(request)
                                .thenApply(answer -> answer instanceof Acquisition.Busy busy
                                        ? new Acquisition.Granted(new Tokens(1, 1), 0, busy.now())
                                        : answer);
                    }
                }))
                .startsWith("M1");
    }

    @Test
    void hintsThatNeverComeAreNoticedM6() {
        assertThat(breach(INVALIDATING, store -> new Broken(store) {
                    @Override
                    public Subscription listen(Consumer<? super Hint> listener) {
                        return () -> {};
                    }
                }))
                .startsWith("M6");
    }

    @Test
    void epochsThatAreNotWrittenAreNoticedM2M6() {
        assertThat(breach(INVALIDATING, store -> new Broken(store) {
                    @Override
                    public CompletionStage<CommitReply> commit(Commit commit) {
                        boolean bump = commit.checks().isEmpty()
                                && commit.mutations().get(0) instanceof Put put
                                && put.value().length() == 1;
                        if (!bump) return store().commit(commit);
                        KvKey elsewhere = KvKey.of(Bytes.utf8("elsewhere"));
                        return store().commit(Commit.of(new Delete(elsewhere, Duration.ZERO)));
                    }
                }))
                .startsWith("M6");
    }

    /** A store with one thing wrong. */
    private abstract static class Broken implements KvBackend {
        private final KvBackend store;

        Broken(KvBackend store) {
            this.store = store;
        }

        KvBackend store() {
            return store;
        }

        Mutation changed(Mutation mutation, Commit commit) {
            return mutation;
        }

        @Override
        public CompletionStage<Reading> read(Query query) {
            return store.read(query);
        }

        @Override
        public CompletionStage<CommitReply> commit(Commit commit) {
            List<Mutation> mutations = commit.mutations().stream()
                    .map(mutation -> changed(mutation, commit))
                    .toList();
            return store.commit(new Commit(commit.id(), commit.checks(), mutations));
        }

        @Override
        public CompletionStage<Acquisition> acquire(LeaseRequest request) {
            return store.acquire(request);
        }

        @Override
        public CompletionStage<Claim> claim(ClaimRequest request) {
            return store.claim(request);
        }

        @Override
        public <R> CompletionStage<R> inspect(Inspection<R> what) {
            return store.inspect(what);
        }

        @Override
        public Subscription listen(Consumer<? super Hint> listener) {
            return store.listen(listener);
        }

        @Override
        public Capabilities capabilities() {
            return store.capabilities();
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
