// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.engine.Engine;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.queue.Delivery;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.store.CommitResult;
import dev.bellwether.store.KvStore;
import dev.bellwether.store.Transaction;
import dev.bellwether.store.Transactions;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Runs bodies until what they read still stands at the commit. */
final class RetryingTransactions implements Transactions {
    /*
     * Optimism
     * --------
     * A body reads without locks, each entry at its own moment; the commit insists on all of them at one. So a body may see
     * entries that never stood together and fail over that (an invariant between two of them broken, an orElseThrow). Such
     * a failure is not the user's: when a body has thrown, what it read is validated by a commit of checks alone, and if
     * it did not stand together the body runs again. Only a failure over a state that did exist comes out.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Engine engine;
    private final Duration maxWait;

    RetryingTransactions(Engine engine) {
        this(engine, PATIENCE);
    }

    private RetryingTransactions(Engine engine, Duration maxWait) {
        this.engine = engine;
        this.maxWait = maxWait;
    }

    @Override
    public Transactions maxWait(Duration limit) {
        return new RetryingTransactions(engine, Durations.notNegative("how long a transaction keeps trying", limit));
    }

    @Override
    public <X extends Exception> void run(Action<X> body) throws X {
        Call<Boolean, X> call = tx -> {
            body.run(tx);
            return true;
        };
        Boolean unused = call(call);
    }

    @Override
    public <X extends Exception> void run(Delivery<?> delivery, Action<X> body) throws X {
        run((Transaction tx) -> {
            tx.acknowledge(delivery);
            body.run(tx);
        });
    }

    @Override
    public <T, X extends Exception> T call(Call<T, X> body) throws X {
        engine.ensureOpen();
        Conflicts conflicts = new Conflicts(engine, engine.within(maxWait));
        Set<String> contended = new TreeSet<>();
        do {
            Draft draft = new Draft(engine, true);
            T result;
            try {
                result = body.call(draft);
            } catch (Exception thrown) {
                if (stoodTogether(draft.end(), thrown, contended)) throw thrown;
                continue;
            }
            Proposal proposal = draft.end();
            CommitReply reply = await(proposal, deadline(conflicts));
            if (reply instanceof CommitReply.Committed) return result;
            CommitReply.Conflict conflict = (CommitReply.Conflict) reply;
            proposal.loss(conflict).ifPresent(RetryingTransactions::raise);
            Set<String> changed = proposal.contended(conflict);
            if (changed.isEmpty()) throw proposal.rejected(conflict);
            contended.addAll(changed);
        } while (conflicts.awaitNext());
        throw new WaitTimeoutException(
                "a transaction met changes of " + contended + " in each of " + conflicts.tries() + " tries within "
                        + maxWait.toMillis() + " ms; nothing was committed",
                null);
    }

    private static void raise(BellwetherException failure) {
        throw failure;
    }

    /** Each commit gets at least the time of one attempt, however little is left. */
    private Deadline deadline(Conflicts conflicts) {
        Deadline least = engine.within(engine.requestTimeout());
        return least.nanos() - conflicts.deadline().nanos() > 0 ? least : conflicts.deadline();
    }

    private CommitReply await(Proposal proposal, Deadline deadline) {
        return Step.join(engine, proposal.send(deadline, false), deadline, true);
    }

    /** Whether what a body had read when it threw existed at one moment; true also where that cannot be learnt. */
    private boolean stoodTogether(Proposal proposal, Exception thrown, Set<String> contended) {
        boolean ours = thrown instanceof BellwetherException || thrown instanceof CancellationException;
        if (ours || proposal.entries().size() < 2) return true;
        try {
            Proposal reads = proposal.readsAlone();
            CommitReply reply = await(reads, engine.within(engine.requestTimeout()));
            if (!(reply instanceof CommitReply.Conflict conflict)) return true;
            contended.addAll(reads.contended(conflict));
            return false;
        } catch (BellwetherException | CancellationException unclear) {
            thrown.addSuppressed(unclear);
            return true;
        }
    }

    @Override
    public <X extends Exception> CommitResult attempt(Action<X> body) throws X {
        engine.ensureOpen();
        Draft draft = new Draft(engine, true);
        body.run(draft);
        Proposal proposal = draft.end();
        Deadline deadline = engine.within(Step.LIMIT);
        return proposal.result(Step.join(engine, proposal.send(deadline, true), deadline, true));
    }

    @Override
    public CompletableFuture<CommitResult> submit(Consumer<? super Transaction> body) {
        Draft draft = new Draft(engine, false);
        body.accept(draft);
        Proposal proposal = draft.end();
        return new Step<>(proposal.send(engine.within(Step.LIMIT), true), proposal::result, true)
                .async(engine.executor());
    }

    @Override
    public <K> long add(KvStore<K, Long> store, K key, long amount) {
        TypedStore<K, Long> typed = StoreService.typed(store);
        Deadline deadline = typed.deadline();
        return typed.add(key, amount, deadline).await(engine, deadline);
    }
}
