// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.error.ClosedException;
import dev.bellwether.error.LeaseLostException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.lock.Lease;
import dev.bellwether.lock.LeaseLock;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.testkit.contract.Tap.Fate;
import dev.bellwether.time.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** The locks as threads use them: blocking, on real time. The fixture must be real. */
public abstract class LockThreadsContract extends LockProcesses {
    private static final ThreadFactory THREADS = Threads.named("lock-contract-caller");

    /** For subclasses, which say how to make their fixture. */
    protected LockThreadsContract() {}

    private static LeaseLock exclusive(Member member, String name) {
        return member.locks.exclusive(name).lease(TERM).maxWait(Duration.ofSeconds(20));
    }

    private interface Body {
        void run() throws Exception;
    }

    /** A thread of its own, and how its body ended. */
    private static final class Caller {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final AtomicBoolean interruptedAtEnd = new AtomicBoolean();
        final Thread thread;

        Caller(Body body) {
            thread = THREADS.newThread(() -> {
                try {
                    body.run();
                } catch (Throwable thrown) {
                    failure.set(thrown);
                } finally {
                    interruptedAtEnd.set(Thread.currentThread().isInterrupted());
                }
            });
            thread.start();
        }
    }

    private void ended(Caller caller) {
        await("the thread has ended", () -> !caller.thread.isAlive());
    }

    private void endedWell(Caller caller) {
        ended(caller);
        assertThat(caller.failure.get()).isNull();
    }

    @Test
    void threadsOfSeveralProcessesExcludeEachOtherAndFencesGrowL1L2() {
        List<Caller> callers = new ArrayList<>();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        List<Long> fences = new ArrayList<>(); // guarded by the lock that is tested
        for (int p = 0; p < 3; p++) {
            LeaseLock lock = exclusive(process(), "x");
            for (int t = 0; t < 4; t++) {
                callers.add(new Caller(() -> {
                    for (int i = 0; i < 50; i++) {
                        lock.run(lease -> {
                            if (inside.incrementAndGet() > 1) overlaps.incrementAndGet();
                            fences.add(lease.fence());
                            inside.decrementAndGet();
                        });
                    }
                }));
            }
        }
        callers.forEach(this::endedWell);
        assertThat(overlaps).hasValue(0);
        assertThat(fences).hasSize(600).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aThousandWaitersThatComeAndGoAreAllServedOrGoneL6() { // case 31
        Member a = process();
        Member b = process();
        AtomicInteger served = new AtomicInteger();
        AtomicInteger gone = new AtomicInteger();
        List<CompletableFuture<Lease>> waits = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Member member = i % 2 == 0 ? a : b;
            CompletableFuture<Lease> wait = exclusive(member, "x").async().acquire();
            wait.whenComplete((lease, failure) -> {
                if (lease == null) {
                    gone.incrementAndGet();
                } else {
                    served.incrementAndGet();
                    CompletableFuture<Boolean> unused =
                            exclusive(member, "x").async().release(lease);
                }
            });
            waits.add(wait);
            if (i % 3 == 0) waits.get(i / 2).cancel(false);
        }
        assertThat(within(Duration.ofSeconds(30), () -> served.get() + gone.get() == 1_000))
                .isTrue();
        assertThat(served.get()).isGreaterThan(500);
        await("nothing is left", () -> a.remains() + b.remains() == 0);
    }

    @Test
    void anInterruptedWaitEndsAtOnceKeepsTheFlagAndHoldsNothingL6() { // cases 10, 34
        Member a = process();
        Member b = process();
        Lease lease = exclusive(a, "x").acquire();
        for (int i = 0; i < 20; i++) {
            CountDownLatch begun = new CountDownLatch(1);
            Caller caller = new Caller(() -> {
                begun.countDown();
                Lease unused = exclusive(b, "x").acquire();
            });
            await("begun", () -> begun.getCount() == 0);
            if (i % 2 == 0) pass(Duration.ofMillis(5));
            caller.thread.interrupt();
            ended(caller);
            assertThat(caller.failure.get()).isInstanceOf(CancellationException.class);
            assertThat(caller.interruptedAtEnd).isTrue();
        }
        lease.close();
        await("nothing is left", () -> b.remains() == 0);
        exclusive(a, "x").acquire(Duration.ofSeconds(2)).close();
    }

    @Test
    void anInterruptAtAnyMomentStrandsNoLease() { // case 10
        Member a = process();
        for (int i = 0; i < 300; i++) {
            CountDownLatch begun = new CountDownLatch(1);
            AtomicReference<Lease> had = new AtomicReference<>();
            Caller caller = new Caller(() -> {
                begun.countDown();
                had.set(exclusive(a, "x").acquire());
            });
            await("begun", () -> begun.getCount() == 0);
            caller.thread.interrupt();
            ended(caller);
            Lease lease = had.get();
            if (lease != null) lease.close();
        }
        exclusive(process(), "x").acquire(Duration.ofSeconds(2)).close();
        await("nothing is left", () -> a.remains() == 0);
    }

    @Test
    void aReleaseWorksOnAnInterruptedThreadAndKeepsItsFlag() { // case 23
        Member a = process();
        Caller caller = new Caller(() -> {
            Lease lease = exclusive(a, "x").acquire();
            Thread.currentThread().interrupt();
            assertThat(lease.release()).isTrue();
        });
        endedWell(caller);
        assertThat(caller.interruptedAtEnd).isTrue();
        exclusive(process(), "x").acquire(Duration.ofSeconds(1)).close();
    }

    @Test
    void aLeaseBelongsToWhoHasTheObjectNotToAThread() { // cases 20, 22, 76
        Member a = process();
        Lease one = exclusive(a, "one").acquire();
        Lease two = exclusive(a, "two").acquire();
        Caller caller = new Caller(one::close);
        endedWell(caller);
        assertThat(one.isHeld()).isFalse();
        assertThat(two.isHeld()).isTrue();
    }

    @Test
    void releaseRenewalAndLossFromThreeThreadsEndOnce() { // case 26
        Member a = process();
        for (int i = 0; i < 50; i++) {
            Lease lease = exclusive(a, "x").acquire();
            AtomicInteger told = new AtomicInteger();
            Lease unused = lease.onLost(loss -> told.incrementAndGet());
            List<Caller> callers = List.of(new Caller(lease::release), new Caller(lease::release), new Caller(() -> {
                boolean unusedToo = lease.renew();
            }));
            callers.forEach(this::ended);
            assertThat(lease.isHeld()).isFalse();
            assertThat(told.get()).isZero();
        }
        await("nothing is left", () -> a.remains() == 0);
    }

    @Test
    void runAndCallReleaseWhateverTheBodyDoesAndThrowItUnchanged() {
        Member a = process();
        LeaseLock lock = exclusive(a, "x");
        IOException failure = new IOException("of the body");
        assertThatThrownBy(() -> lock.run(lease -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(lock.<String, RuntimeException>call(lease -> "result " + lease.isHeld()))
                .isEqualTo("result true");
        assertThat(lock.runIfFree(Lease::ensureHeld)).isTrue();
        try (Lease held = exclusive(process(), "x").acquire()) {
            assertThat(lock.runIfFree(lease -> lease.close())).isFalse();
            assertThat(held.isHeld()).isTrue();
        }
        await("nothing is left", () -> a.remains() == 0);
    }

    @Test
    void aBodyThatEndsAfterTheLossIsToldL4() {
        Member a = process();
        assertThatThrownBy(() -> exclusive(a, "x").run(lease -> {
                    a.tap.decide(request -> Fate.SWALLOWED);
                    await("lost", () -> !lease.isHeld());
                }))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    void interruptOnLossEndsTheBodyAndLeavesNoFlagBehind() {
        Member a = process();
        AtomicBoolean wasInterrupted = new AtomicBoolean();
        Caller caller = new Caller(() -> exclusive(a, "x").interruptOnLoss().run(lease -> {
            a.tap.decide(request -> Fate.SWALLOWED);
            boolean unused = within(SOON, () -> Thread.currentThread().isInterrupted());
            wasInterrupted.set(Thread.currentThread().isInterrupted());
        }));
        ended(caller);
        assertThat(wasInterrupted).isTrue();
        assertThat(caller.interruptedAtEnd).isFalse();
        assertThat(caller.failure.get()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aBlockedWaitKeepsItsLimitWhenTheStoreIsSilentL5() { // case 37
        Member a = process();
        a.tap.decide(request -> Fate.SWALLOWED);
        Caller caller = new Caller(() -> {
            Lease unused = exclusive(a, "x").acquire(Duration.ofMillis(200));
        });
        ended(caller); // far sooner than the 20 s that the lock would wait otherwise
        assertThat(caller.failure.get()).isInstanceOf(dev.bellwether.error.OutcomeUnknownException.class);
    }

    @Test
    void aReleaseToASilentStoreEndsInAboutTwoRequestsAndCloseThrowsNothing() { // case 28
        Member a = process();
        Lease lease = exclusive(a, "x").acquire();
        a.tap.decide(request -> Fate.SWALLOWED);
        Caller caller = new Caller(lease::close);
        ended(caller);
        assertThat(caller.failure.get()).isNull();
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void aBlockedWaiterIsToldOfTheCloseL6() { // case 77
        Member a = process();
        Member b = process();
        Lease lease = exclusive(a, "x").acquire();
        Caller caller = new Caller(() -> {
            Lease unused = exclusive(b, "x").acquire();
        });
        await("waits", () -> b.tap.count(LeaseRequest.class::isInstance) > 0);
        b.tap.decide(request -> Fate.SWALLOWED);
        CompletableFuture<?> unused = b.locks.close();
        ended(caller);
        assertThat(caller.failure.get()).isInstanceOf(ClosedException.class);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void callbacksRunOnTheExecutorAndNoThrowingOneDisturbs() { // cases 67, 74
        List<Thread> threads = new ArrayList<>();
        Member a = process(
                "a",
                task -> executor().execute(() -> {
                    synchronized (threads) {
                        threads.add(Thread.currentThread());
                    }
                    task.run();
                }),
                null);
        AtomicReference<Thread> ranOn = new AtomicReference<>();
        Lease lease = exclusive(a, "x").acquire();
        Lease unused = lease.onLost(loss -> {
                    throw new IllegalStateException("a reaction of the test throws");
                })
                .onLost(loss -> ranOn.set(Thread.currentThread()));
        a.tap.decide(request -> Fate.SWALLOWED);
        await("told", () -> ranOn.get() != null);
        synchronized (threads) {
            assertThat(threads).contains(ranOn.get());
        }
    }

    // The JDK's view

    @SuppressWarnings("LockNotBeforeTry") // what it does is the subject
    @Test
    void theViewIsReentrantWithoutAskingTheStore() { // cases 5, 70
        Member a = process();
        LeaseLock lock = exclusive(a, "x");
        Lock view = lock.asLock();
        view.lock();
        a.tap.forget();
        assertThat(view.tryLock()).isTrue();
        lock.lease(Duration.ofMillis(200)).asLock().lock();
        assertThat(a.tap.requests()).isEmpty();
        view.unlock();
        view.unlock();
        assertThat(exclusive(process(), "x").tryAcquire()).isEmpty();
        view.unlock();
        assertThat(a.tap.count(Tap.with(Release.class))).isEqualTo(1);
        assertThat(a.remains()).isZero();
        assertThatThrownBy(view::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("asLock");
        assertThatThrownBy(view::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @SuppressWarnings("LockNotBeforeTry") // what it does is the subject
    @Test
    void theViewBelongsToItsThread() throws InterruptedException {
        Member a = process();
        Lock view = exclusive(a, "x").asLock();
        view.lock();
        AtomicBoolean had = new AtomicBoolean(true);
        Caller other = new Caller(() -> {
            had.set(view.tryLock(50, TimeUnit.MILLISECONDS));
            assertThatThrownBy(view::unlock).isInstanceOf(IllegalMonitorStateException.class);
        });
        endedWell(other);
        assertThat(had).isFalse();
        Caller waiting = new Caller(view::lockInterruptibly);
        pass(Duration.ofMillis(50));
        waiting.thread.interrupt();
        ended(waiting);
        assertThat(waiting.failure.get()).isInstanceOf(InterruptedException.class);
        assertThat(waiting.interruptedAtEnd).isFalse();
        view.unlock();
        assertThat(view.tryLock(1, TimeUnit.SECONDS)).isTrue();
        view.unlock();
    }

    @SuppressWarnings("LockNotBeforeTry") // what it does is the subject
    @Test
    void theViewWaitsForMaxWaitAndItsLastUnlockTellsALossL4() {
        Member a = process();
        Lease other = exclusive(process(), "x").acquire();
        Lock view = exclusive(a, "x").maxWait(Duration.ofMillis(100)).asLock();
        assertThatThrownBy(view::lock).isInstanceOf(WaitTimeoutException.class);
        other.close();
        view.lock();
        view.lock();
        a.tap.decide(request -> Fate.SWALLOWED);
        pass(TERM.plusMillis(100));
        assertThatCode(view::unlock).doesNotThrowAnyException();
        assertThatThrownBy(view::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theLockOfAThreadThatEndedIsGivenBackAtItsNextRenewal() { // case 10
        Member a = process();
        Caller caller = new Caller(() -> exclusive(a, "x").asLock().lock());
        endedWell(caller);
        await("given back", () -> a.remains() == 0);
        exclusive(process(), "x").acquire(Duration.ofSeconds(1)).close();
    }

    @Test
    void manyLeasesAreRenewedByOneTimerWithoutLossL4() { // case 7
        Member a = process();
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            held.add(a.locks.exclusive("x" + i).lease(TERM.multipliedBy(2)).acquire());
        }
        a.tap.forget();
        pass(TERM.multipliedBy(5));
        assertThat(held).allMatch(Lease::isHeld);
        assertThat(a.tap.count(Tap.with(Renew.class))).isGreaterThan(5_000);
        held.forEach(Lease::close);
        await("nothing is left", () -> a.remains() == 0);
    }
}
