// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.CommitPart;
import dev.bellwether.error.LeaseLostException;
import dev.bellwether.error.LeaseLostException.Reason;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.spi.Check;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The lease of one lock: one holder's part of a {@link Hold}. */
final class HeldLease extends BoundLease {
    private enum State {
        HELD,
        RELEASED,
        LOST,
        /** Lost, and no longer wanted by its holder either. */
        LEFT
    }

    private final Hold hold;
    private final long fence;
    private final AtomicReference<State> state = new AtomicReference<>(State.HELD);
    private final AtomicInteger commits = new AtomicInteger();
    private final CompletableFuture<Tenure.Ending> ending = new CompletableFuture<>();
    private volatile @Nullable Thread thread;

    HeldLease(Hold hold, long fence, LockOptions options) {
        super(hold.service(), options);
        this.hold = hold;
        this.fence = fence;
    }

    @Override
    public String name() {
        return hold.key().label();
    }

    @Override
    public long fence() {
        return fence;
    }

    @Override
    public Duration remaining() {
        return state.get() == State.HELD ? hold.tenure().remaining() : Duration.ZERO;
    }

    @Override
    public boolean isHeld() {
        return state.get() == State.HELD && hold.tenure().isHeld();
    }

    @Override
    CompletableFuture<Tenure.Ending> surrender() {
        if (state.compareAndSet(State.HELD, State.RELEASED)) {
            hold.release(this).thenAccept(this::finish);
        } else if (reachedAtMost() && state.compareAndSet(State.LOST, State.LEFT)) {
            hold.leaveEarly();
        }
        return ending;
    }

    /** The limit ends the belief, not the hold in the store; the one who has finished frees it before its time. */
    private boolean reachedAtMost() {
        LeaseLostException cause = loss.cause();
        return cause != null && cause.reason() == Reason.AT_MOST_REACHED;
    }

    private void finish(Tenure.Ending how) {
        service.ended(this);
        if (service.engine().isListening()) {
            boolean lost = how == Tenure.Ending.LOST;
            service.engine()
                    .tell(listener -> listener.onRelease(new BellwetherListener.Release(name(), lost, elapsed())));
        }
        ending.complete(how);
    }

    /** Ends it against the holder's will, if it has not ended. */
    boolean lose(Reason reason) {
        if (!state.compareAndSet(State.HELD, State.LOST)) return false;
        loss.tell(lost(reason));
        finish(Tenure.Ending.LOST);
        return true;
    }

    /** Ends it because the service closes: told, then given back. */
    CompletableFuture<Tenure.Ending> shut() {
        return hold.shut(this);
    }

    @Override
    CompletableFuture<Boolean> prolong() {
        return state.get() == State.HELD ? hold.tenure().renew() : CompletableFuture.completedFuture(false);
    }

    @Override
    void expireIfDue() {
        if (state.get() == State.HELD) hold.tenure().expireIfDue();
    }

    @Override
    boolean wasReleased() {
        return state.get() == State.RELEASED;
    }

    @Override
    void bindTo(Thread owner) {
        thread = owner;
    }

    /** True if it is bound to a thread that has ended without giving it back. */
    boolean isOrphaned() {
        Thread owner = thread;
        return owner != null && !owner.isAlive();
    }

    @Override
    void whenEnded(Runnable reaction) {
        ending.thenRun(reaction);
    }

    @Override
    public List<Check> checks() {
        return List.of(new Check.Held(hold.key().lease(), hold.tenure().owner()));
    }

    @Override
    public void begin() {
        commits.incrementAndGet();
        if (isHeld()) return;
        commits.decrementAndGet();
        ensureHeld();
    }

    @Override
    public void ended(CommitPart.Ending how) {
        // One whose end is unknown may still arrive: it counts as in flight for as long as the hold lasts.
        if (how != CommitPart.Ending.UNKNOWN) commits.decrementAndGet();
    }

    /** Read after the state was changed: a commit that began is seen here, or saw the change. */
    boolean hasCommitInFlight() {
        return commits.get() > 0;
    }
}
