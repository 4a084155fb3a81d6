// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.error.ClosedException;
import dev.bellwether.error.LeaseLostException;
import dev.bellwether.error.LeaseLostException.Reason;
import dev.bellwether.error.RejectedException;
import dev.bellwether.error.WaitTimeoutException;
import dev.bellwether.lock.AsyncLeaseLock;
import dev.bellwether.lock.Election;
import dev.bellwether.lock.Lease;
import dev.bellwether.lock.LeaseLock;
import dev.bellwether.lock.Locks.Holder;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseMutation.Renew;
import dev.bellwether.spi.LeaseMutation.Take;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.testkit.contract.Tap.Fate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * The laws L1 to L6 of locks, and the faults that users of other libraries reported, on any backend and any clock: here
 * nobody blocks. What needs threads that do stands in {@link LockThreadsContract}.
 */
public abstract class LockContract extends LockProcesses {
    private static final Duration WAIT = Duration.ofSeconds(20);

    /** For subclasses, which say how to make their fixture. */
    protected LockContract() {}

    private static LeaseLock exclusive(Member process, String name) {
        return process.locks.exclusive(name).lease(TERM).maxWait(WAIT);
    }

    private Lease lock(Member process, String name) {
        return granted(exclusive(process, name).async().acquire());
    }

    private static CompletableFuture<Boolean> release(Member process, Lease lease) {
        return exclusive(process, lease.name()).async().release(lease);
    }

    /** The lease of the only one whose wait has ended, who then waits no more. */
    private Lease next(List<CompletableFuture<Lease>> waiting) {
        await("somebody's turn", () -> waiting.stream().anyMatch(CompletableFuture::isDone));
        List<CompletableFuture<Lease>> had =
                waiting.stream().filter(CompletableFuture::isDone).toList();
        assertThat(had).hasSize(1);
        waiting.removeIf(CompletableFuture::isDone);
        return had.get(0).join();
    }

    private LeaseLostException heard(AtomicReference<LeaseLostException> told) {
        await("told", () -> told.get() != null);
        return Objects.requireNonNull(told.get());
    }

    private boolean isFree(Member process, String name) {
        Optional<Lease> had = answer(exclusive(process, name).async().tryAcquire());
        had.ifPresent(lease -> answer(release(process, lease)));
        return had.isPresent();
    }

    // L1, L2: one holder, growing fences

    @Test
    void anExclusiveLockHasOneHolderAndFencesGrowL1L2() {
        Member a = process();
        Member b = process();
        Lease first = lock(a, "x");
        assertThat(answer(exclusive(b, "x").async().tryAcquire())).isEmpty();
        assertThat(first.isHeld()).isTrue();
        assertThat(first.remaining()).isPositive().isLessThan(TERM);
        assertThat(answer(release(a, first))).isTrue();
        Lease second = lock(b, "x");
        assertThat(second.fence()).isGreaterThan(first.fence());
    }

    @Test
    void namesThatLookAlikeAreDifferentLocks() {
        Member a = process();
        for (String name : List.of("a", "A", "a:b", "a%3Ab", "a:", ":a", "a b", "\u00e9", "{a}", "a\u0000")) {
            Lease unused = lock(a, name);
        }
        Member b = process();
        assertThat(isFree(b, "a:c")).isTrue();
        assertThat(isFree(b, "a%3Ab")).isFalse();
    }

    @Test
    void aLockASemaphoreAndALeaderOfOneNameAreThreeThings() {
        Member a = process();
        Lease unused = lock(a, "n");
        assertThat(answer(a.locks.semaphore("n", 1).async().tryAcquire())).isPresent();
        try (Election election = a.locks.election("n").lease(TERM).join()) {
            await("leads", election::isLeader);
        }
    }

    @Test
    void everyLeaseOfManyHandOversHasALargerFenceL2() {
        Member a = process();
        Member b = process();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            waiting.add(exclusive(i % 3 == 0 ? b : a, "x").async().acquire());
        }
        List<Long> fences = new ArrayList<>();
        while (!waiting.isEmpty()) {
            Lease lease = next(waiting);
            fences.add(lease.fence());
            answer(release(a, lease));
        }
        assertThat(fences).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void readersShareAndExcludeTheWriterL1() {
        Member a = process();
        Member b = process();
        AsyncLeaseLock readers = b.locks.shared("x").lease(TERM).async();
        Lease reader = granted(a.locks.shared("x").lease(TERM).async().acquire());
        Lease other = granted(readers.acquire());
        CompletableFuture<Lease> writer = exclusive(a, "x").async().acquire();
        pass(Duration.ofMillis(50));
        assertThat(writer).isNotDone();
        answer(readers.release(reader));
        answer(readers.release(other));
        assertThat(granted(writer).fence()).isGreaterThan(Math.max(reader.fence(), other.fence()));
        assertThat(answer(readers.tryAcquire())).isEmpty();
    }

    @Test
    void aWaitingWriterIsNotStarvedByReadersL5() {
        Member a = process();
        Member b = process();
        AsyncLeaseLock readers = b.locks.shared("x").lease(TERM).async();
        AtomicReference<Lease> reading = new AtomicReference<>(granted(readers.acquire()));
        CompletableFuture<Lease> writer = exclusive(a, "x").async().acquire();
        // One reader is always there; newcomers may overtake only while the writer's patience lasts.
        await("newcomers are refused", () -> {
            Optional<Lease> newcomer = answer(readers.tryAcquire());
            newcomer.ifPresent(lease -> answer(readers.release(reading.getAndSet(lease))));
            return newcomer.isEmpty();
        });
        assertThat(writer).isNotDone();
        answer(readers.release(Objects.requireNonNull(reading.get())));
        granted(writer);
    }

    @Test
    void afterAWriterTenReadersAreAdmittedTogetherL5() { // case 38
        Member a = process();
        Member b = process();
        Lease writer = lock(a, "x");
        List<CompletableFuture<Lease>> readers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Member reader = i % 2 == 0 ? b : a;
            readers.add(reader.locks.shared("x").lease(TERM).async().acquire());
        }
        pass(Duration.ofMillis(50));
        assertThat(readers).noneMatch(CompletableFuture::isDone);
        answer(release(a, writer));
        await("all read", () -> readers.stream().allMatch(CompletableFuture::isDone));
        assertThat(readers).allMatch(reader -> reader.join().isHeld());
    }

    @Test
    void aSemaphoreAdmitsItsNumberAndItsWaitersAreServed() {
        Member a = process();
        Member b = process();
        AsyncLeaseLock slots = a.locks.semaphore("s", 3).lease(TERM).async();
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) held.add(granted(slots.acquire()));
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Member process = i % 2 == 0 ? a : b;
            waiting.add(process.locks.semaphore("s", 3).lease(TERM).async().acquire());
        }
        pass(Duration.ofMillis(50));
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        for (int served = 0; served < 6; served++) {
            answer(slots.release(held.remove(0)));
            held.add(next(waiting));
            assertThat(held.stream().filter(Lease::isHeld)).hasSize(3);
        }
    }

    @Test
    void aSemaphoreInUseWithAnotherNumberIsRejected() {
        Member a = process();
        Lease unused = granted(a.locks.semaphore("s", 3).lease(TERM).async().acquire());
        CompletableFuture<Lease> other =
                process().locks.semaphore("s", 4).async().acquire();
        await("refused", other::isDone);
        assertThatThrownBy(other::join).hasCauseInstanceOf(RejectedException.class);
    }

    @Test
    void permitsAreRenewedL4() {
        Member a = process();
        Lease permit = granted(a.locks.semaphore("s", 2).lease(TERM).async().acquire());
        pass(TERM.multipliedBy(3));
        assertThat(permit.isHeld()).isTrue();
    }

    // L3, L4: renewal, loss, release

    @Test
    void aLeaseIsKeptAsLongAsItsHolderLivesByOneRenewalAThirdL4() {
        Member a = process();
        Lease lease = lock(a, "x");
        a.tap.forget();
        pass(TERM.multipliedBy(5));
        assertThat(lease.isHeld()).isTrue();
        assertThat(a.tap.count(Tap.with(Renew.class))).isBetween(12L, 17L);
        assertThat(isFree(process(), "x")).isFalse();
    }

    @Test
    void nothingIsAskedAfterAReleaseL6() {
        Member a = process();
        Lease lease = lock(a, "x");
        answer(release(a, lease));
        await("nothing is left", () -> a.remains() == 0);
        a.tap.forget();
        pass(TERM.multipliedBy(2));
        assertThat(a.tap.requests()).isEmpty();
    }

    @Test
    void anUncontendedCycleIsTwoRequests() {
        Member a = process();
        for (int i = 0; i < 20; i++) answer(release(a, lock(a, "x")));
        assertThat(a.tap.requests()).hasSize(40);
        assertThat(a.tap.count(LeaseRequest.class::isInstance)).isEqualTo(20);
        assertThat(a.tap.count(Tap.with(Release.class))).isEqualTo(20);
    }

    @Test
    void oneRenewalThatFailsIsTriedAgainWithinASixthOfTheTermL4() { // cases 1, 11, 17
        Member a = process();
        Lease lease = lock(a, "x");
        AtomicInteger left = new AtomicInteger(2);
        a.tap.decide(request ->
                Tap.with(Renew.class).test(request) && left.getAndDecrement() > 0 ? Fate.REFUSED : Fate.SERVED);
        pass(TERM.multipliedBy(2));
        assertThat(left.get()).isNegative();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void renewalsResumeAfterTheStoreWasAwayForAHalfTermL4() { // case 1
        Member a = process();
        Lease lease = lock(a, "x");
        for (int i = 0; i < 3; i++) {
            a.tap.decide(request -> Fate.SWALLOWED);
            pass(TERM.dividedBy(3));
            a.tap.serveAll();
            pass(TERM);
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void aSlowRenewalOfOneLockDoesNotDelayAnother() { // case 11
        Member a = process();
        Lease slow = lock(a, "slow");
        Lease other = lock(a, "other");
        a.tap.decide(request ->
                Tap.with(Renew.class).test(request) && request.toString().contains("slow")
                        ? Fate.SWALLOWED
                        : Fate.SERVED);
        await("the slow one is lost", () -> !slow.isHeld());
        assertThat(other.isHeld()).isTrue();
    }

    @Test
    void aHolderWithoutAStoreStopsBelievingBeforeTheNextOneStartsL1L4() {
        Member a = process();
        Member b = process();
        Lease lease = lock(a, "x");
        AtomicReference<LeaseLostException> told = new AtomicReference<>();
        Lease same = lease.onLost(told::set);
        CompletableFuture<Lease> next = exclusive(b, "x").async().acquire();
        a.tap.decide(request -> Fate.SWALLOWED);
        AtomicInteger overlaps = new AtomicInteger();
        next.thenAccept(granted -> {
            if (lease.isHeld()) overlaps.incrementAndGet();
        });
        Lease successor = granted(next);
        assertThat(overlaps).hasValue(0);
        assertThat(same.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThat(heard(told).reason()).isIn(Reason.UNREACHABLE, Reason.PAUSED);
        assertThat(heard(told)).hasMessageContaining("x").hasMessageContaining("fence");
        assertThat(successor.fence()).isGreaterThan(lease.fence());
        assertThatThrownBy(lease::ensureHeld).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void whoLosesALeaseAcquiresAnewAndIsRenewedAgain() { // cases 1, 2
        Member a = process();
        Lease lease = lock(a, "x");
        a.tap.decide(request -> Fate.SWALLOWED);
        await("lost", () -> !lease.isHeld());
        a.tap.serveAll();
        Lease again = lock(a, "x");
        pass(TERM.multipliedBy(3));
        assertThat(again.isHeld()).isTrue();
    }

    @Test
    void aLateReleaseNeverHarmsTheNextHolderL3() { // case 19
        Member a = process();
        Member b = process();
        Lease lease = lock(a, "x");
        a.tap.decide(request -> Fate.SWALLOWED);
        Lease successor = lock(b, "x");
        a.tap.serveAll();
        assertThat(answer(release(a, lease))).isFalse();
        assertThatCode(lease::close).doesNotThrowAnyException();
        pass(TERM);
        assertThat(successor.isHeld()).isTrue();
    }

    @Test
    void aLossIsToldOnceAndAtOnceToWhoAsksLateL4() {
        Member a = process();
        Lease lease = lock(a, "x");
        AtomicInteger early = new AtomicInteger();
        AtomicInteger late = new AtomicInteger();
        Lease unused = lease.onLost(loss -> early.incrementAndGet());
        a.tap.decide(request -> Fate.SWALLOWED);
        await("lost", () -> early.get() > 0);
        Lease unusedToo = lease.onLost(loss -> late.incrementAndGet());
        await("told late", () -> late.get() > 0);
        pass(TERM);
        assertThat(early).hasValue(1);
        assertThat(late).hasValue(1);
    }

    @Test
    void aReleasedLeaseIsNotToldAsLost() {
        Member a = process();
        Lease lease = lock(a, "x");
        AtomicInteger told = new AtomicInteger();
        Lease unused = lease.onLost(loss -> told.incrementAndGet());
        assertThat(answer(release(a, lease))).isTrue();
        assertThat(answer(release(a, lease))).as("again").isTrue();
        pass(TERM.multipliedBy(2));
        assertThat(told).hasValue(0);
        assertThatThrownBy(lease::ensureHeld).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aReleaseIsSentUntilItArrivesL4() { // case 28
        Member a = process();
        Member b = process();
        Lease lease = lock(a, "x");
        AtomicInteger left = new AtomicInteger(3);
        a.tap.decide(request ->
                Tap.with(Release.class).test(request) && left.getAndDecrement() > 0 ? Fate.REFUSED : Fate.SERVED);
        CompletableFuture<Boolean> released = release(a, lease);
        assertThat(lease.isHeld()).as("ended here at once").isFalse();
        assertThat(answer(released)).isTrue();
        assertThat(isFree(b, "x")).isTrue();
    }

    @Test
    void aReleaseWhoseAnswerIsLostIsStillARelease() {
        Member a = process();
        Lease lease = lock(a, "x");
        AtomicInteger left = new AtomicInteger(1);
        a.tap.decide(request ->
                Tap.with(Release.class).test(request) && left.getAndDecrement() > 0 ? Fate.ANSWER_LOST : Fate.SERVED);
        assertThat(answer(release(a, lease))).isTrue();
    }

    @Test
    void anAcquisitionWhoseAnswerIsLostIsOneHoldNotTwoL6() {
        Member a = process();
        AtomicInteger left = new AtomicInteger(2);
        a.tap.decide(request ->
                request instanceof LeaseRequest && left.getAndDecrement() > 0 ? Fate.ANSWER_LOST : Fate.SERVED);
        Lease lease = lock(a, "x");
        assertThat(lease.isHeld()).isTrue();
        answer(release(a, lease));
        assertThat(isFree(process(), "x")).isTrue();
    }

    @Test
    void aReleaseDuringARenewalEndsUnlockedAndSilentL6() { // cases 4, 13
        Member a = process();
        Member b = process();
        for (Fate fate : List.of(Fate.ANSWER_SWALLOWED, Fate.SWALLOWED)) {
            Lease lease = lock(a, "x");
            AtomicInteger told = new AtomicInteger();
            Lease unused = lease.onLost(loss -> told.incrementAndGet());
            a.tap.forget();
            a.tap.decide(request -> Tap.with(Renew.class).test(request) ? fate : Fate.SERVED);
            await("a renewal is under way", () -> a.tap.count(Tap.with(Renew.class)) > 0);
            assertThat(answer(release(a, lease))).isTrue();
            a.tap.serveAll();
            pass(TERM);
            assertThat(told).hasValue(0);
            assertThat(isFree(b, "x")).isTrue();
            await("nothing is left", () -> a.remains() == 0);
        }
    }

    @Test
    void aRenewalByHandMovesTheEndForwardOnly() { // case 16
        Member a = process();
        Lease lease = lock(a, "x");
        Duration before = lease.remaining();
        pass(Duration.ofMillis(100));
        assertThat(lease.remaining()).isLessThan(before);
        Duration worn = lease.remaining();
        assertThat(answer(exclusive(a, "x").async().renew(lease))).isTrue();
        assertThat(lease.remaining()).isGreaterThan(worn).isLessThanOrEqualTo(TERM);
        answer(release(a, lease));
        assertThat(answer(exclusive(a, "x").async().renew(lease))).isFalse();
    }

    @Test
    void aBrokenLeaseIsToldAndOutWithinOneLeaseAndNeverTwoHoldL1() {
        Member a = process("the holder");
        Member b = process();
        Lease lease = lock(a, "stuck");
        pass(TERM); // its label is known from the first renewal on
        List<Holder> seen = b.locks.holders("stu");
        assertThat(seen).hasSize(1);
        assertThat(seen.get(0).name()).isEqualTo("stuck");
        assertThat(seen.get(0).fence()).isEqualTo(lease.fence());
        assertThat(seen.get(0).owner()).isEqualTo("the holder");
        assertThat(seen.get(0).remaining()).isPositive();
        assertThat(b.locks.breakLease(seen.get(0))).isTrue();
        AtomicReference<LeaseLostException> told = new AtomicReference<>();
        Lease unused = lease.onLost(told::set);
        Lease next = lock(b, "stuck");
        assertThat(lease.isHeld()).isFalse();
        assertThat(heard(told).reason()).isEqualTo(Reason.BROKEN);
        assertThat(b.locks.breakLease(seen.get(0))).as("it has passed on").isFalse();
        assertThat(next.isHeld()).isTrue();
    }

    @Test
    void holdersAreListedWithTheirWaitersAndOnlyThoseOfThePrefix() {
        Member a = process("here");
        Member b = process("there");
        Lease unused = lock(a, "job-1");
        Lease unusedToo =
                granted(b.locks.semaphore("job-2", 2).lease(TERM).async().acquire());
        Lease unusedThree = lock(b, "other");
        CompletableFuture<Lease> waiting = exclusive(b, "job-1").async().acquire();
        pass(Duration.ofMillis(50));
        List<Holder> holders = a.locks.holders("job-");
        assertThat(holders).extracting(Holder::name).containsExactlyInAnyOrder("job-1", "job-2");
        assertThat(holders)
                .filteredOn(holder -> holder.name().equals("job-1"))
                .allMatch(holder -> holder.owner().equals("here") && holder.waiting() == 1);
        assertThat(waiting).isNotDone();
    }

    // L5, L6: waiting

    @Test
    void aReleasedLockGoesToTheWaiterOfAnotherProcessWithinAMessageL5() {
        Member a = process();
        Member b = process();
        Lease lease = lock(a, "x");
        CompletableFuture<Lease> waiting = exclusive(b, "x").async().acquire();
        pass(Duration.ofMillis(100));
        answer(release(a, lease));
        assertThat(timeUntil(waiting::isDone)).isLessThan(bound(Duration.ofMillis(700)));
    }

    @Test
    void withoutAnyHintAWaiterIsServedWithinAboutASecondL5() { // case 32
        Member a = process();
        Member b = process();
        b.tap.dropHints(true);
        Lease lease = granted(a.locks.exclusive("x").async().acquire()); // a lease of 10 s
        CompletableFuture<Lease> waiting =
                b.locks.exclusive("x").maxWait(WAIT).async().acquire();
        pass(Duration.ofMillis(300));
        answer(release(a, lease));
        assertThat(timeUntil(waiting::isDone)).isLessThan(bound(Duration.ofMillis(1_800)));
    }

    @Test
    void aDeadHolderIsReplacedAfterItsLeaseL5() {
        Member a = process();
        Member b = process();
        Lease lease = lock(a, "x");
        CompletableFuture<Lease> waiting = exclusive(b, "x").async().acquire();
        pass(Duration.ofMillis(100));
        a.tap.decide(request -> Fate.SWALLOWED);
        assertThat(timeUntil(waiting::isDone)).isLessThan(bound(TERM.plusMillis(1_200)));
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void fairWaitersAreServedInOrderOfArrival() {
        Member a = process();
        Member b = process();
        Lease lease = granted(a.locks.exclusive("x").lease(TERM).fair().async().acquire());
        List<Integer> served = new ArrayList<>();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            Member process = process();
            CompletableFuture<Lease> wait =
                    process.locks.exclusive("x").lease(TERM).fair().async().acquire();
            waiting.add(wait);
            wait.thenAccept(had -> served.add(number));
            pass(Duration.ofMillis(30));
        }
        assertThat(answer(b.locks.exclusive("x").fair().async().tryAcquire())).isEmpty();
        answer(release(a, lease));
        for (CompletableFuture<Lease> wait : waiting) answer(release(a, granted(wait)));
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5);
    }

    @Test
    void aCancelledWaitLeavesNothingAndNeverGetsTheLockL6() { // case 43
        Member a = process();
        Member b = process();
        Member c = process();
        Lease lease = lock(a, "x");
        CompletableFuture<Lease> cancelled = exclusive(b, "x").async().acquire();
        pass(Duration.ofMillis(50));
        CompletableFuture<Lease> next = exclusive(c, "x").async().acquire();
        pass(Duration.ofMillis(50));
        cancelled.cancel(false);
        answer(release(a, lease));
        granted(next);
        await("nothing is left", () -> b.remains() == 0);
        assertThat(b.tap.count(Tap.with(Leave.class))).isPositive();
    }

    @Test
    void aWaitCancelledWhileItsRequestIsOnTheWayStrandsNoGrantL6() {
        Member a = process();
        Member b = process();
        for (Fate fate : List.of(Fate.ANSWER_SWALLOWED, Fate.ANSWER_LOST, Fate.SWALLOWED)) {
            AtomicInteger left = new AtomicInteger(1);
            a.tap.decide(request -> request instanceof LeaseRequest && left.getAndDecrement() > 0 ? fate : Fate.SERVED);
            CompletableFuture<Lease> wait = exclusive(a, "x").async().acquire();
            wait.cancel(false);
            assertThat(timeUntil(() -> isFree(b, "x"))).as("%s", fate).isLessThan(bound(TERM));
            await("nothing is left", () -> a.remains() == 0);
        }
    }

    @Test
    void aWaitEndsAtItsLimitAndLeavesNothingL6() { // case 34
        Member a = process();
        Member b = process();
        Lease lease = lock(a, "x");
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Lease> wait = exclusive(b, "x").async().acquire(Duration.ofMillis(20));
            assertThat(timeUntil(wait::isDone)).isLessThan(bound(Duration.ofMillis(500)));
            assertThatThrownBy(wait::join).hasCauseInstanceOf(WaitTimeoutException.class);
        }
        await("nothing is left", () -> b.remains() == 0);
        assertThat(lease.isHeld()).isTrue();
        CompletableFuture<Lease> last = exclusive(b, "x").async().acquire();
        answer(release(a, lease));
        granted(last);
    }

    @Test
    void aWaitKeepsItsLimitWhenTheStoreIsDownL5() { // case 37
        Member a = process();
        for (Fate fate : List.of(Fate.REFUSED, Fate.SWALLOWED)) {
            a.tap.decide(request -> fate);
            CompletableFuture<Lease> wait = exclusive(a, "x").async().acquire(Duration.ofMillis(200));
            Duration took = timeUntil(wait::isDone);
            assertThat(took).isBetween(Duration.ofMillis(195), bound(Duration.ofMillis(450)));
            assertThatThrownBy(wait::join).satisfies(failure -> {
                BellwetherException cause = (BellwetherException) Objects.requireNonNull(failure.getCause());
                assertThat(cause.nothingHappened()).isEqualTo(fate == Fate.REFUSED);
            });
        }
        a.tap.serveAll();
        await("nothing is left", () -> a.remains() == 0);
    }

    @Test
    void aWaitSurvivesAStoreThatComesBack() {
        Member a = process();
        a.tap.decide(request -> Fate.REFUSED);
        CompletableFuture<Lease> wait = exclusive(a, "x").async().acquire();
        pass(Duration.ofSeconds(2));
        assertThat(wait).isNotDone();
        a.tap.serveAll();
        granted(wait);
    }

    @Test
    void oneLookAtADownStoreFailsAsUnavailable() {
        Member a = process();
        a.tap.decide(request -> Fate.REFUSED);
        CompletableFuture<Optional<Lease>> look = exclusive(a, "x").async().tryAcquire();
        await("ended", look::isDone);
        assertThatThrownBy(look::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(BackendUnavailableException.class);
        assertThat(a.remains()).isZero();
    }

    @Test
    void idleWaitersAskAboutOnceASecondForTheWholeProcess() { // case 41
        Member a = process();
        Member b = process();
        Lease unused = granted(a.locks.exclusive("x").async().acquire());
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add(b.locks.exclusive("x").maxWait(WAIT).async().acquire());
        }
        pass(Duration.ofMillis(100));
        b.tap.forget();
        pass(Duration.ofSeconds(4));
        assertThat(b.tap.requests()).hasSizeBetween(2, 6);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void waitersOfOneProcessAreServedByHandingOnWithoutTheStore() {
        Member a = process();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 16; i++) waiting.add(exclusive(a, "x").async().acquire());
        granted(waiting.get(0));
        a.tap.forget();
        int asked = 0;
        for (CompletableFuture<Lease> wait : waiting) {
            Lease lease = granted(wait);
            assertThat(lease.isHeld()).isTrue();
            lease.close();
            asked = a.tap.requests().size();
        }
        // 15 hand-overs by the store would be 30 requests and more; a slow run may spend its 20 ms now and then.
        assertThat(asked).isLessThan(24);
    }

    @Test
    void handingOnEndsSoThatOtherProcessesHaveTheirTurn() {
        Member a = process();
        Member b = process();
        List<CompletableFuture<Lease>> local = new ArrayList<>();
        for (int i = 0; i < 200; i++) local.add(exclusive(a, "x").async().acquire());
        granted(local.get(0));
        CompletableFuture<Lease> remote = exclusive(b, "x").async().acquire();
        pass(Duration.ofMillis(1_200)); // its patience is spent
        int before = 0;
        for (CompletableFuture<Lease> wait : local) {
            if (remote.isDone()) break;
            Lease lease = granted(wait.isDone() || !remote.isDone() ? wait : remote);
            lease.close();
            pass(Duration.ZERO);
            before++;
            if (before > 40) await("the other process has its turn", remote::isDone);
        }
        assertThat(before).isLessThanOrEqualTo(41);
        granted(remote).close();
        local.forEach(wait -> wait.cancel(false));
    }

    // Several at once

    @Test
    void allOrNoneOfSeveralLocks() {
        Member a = process();
        Member b = process();
        LeaseLock both = a.locks.all(List.of("p", "q", "p")).lease(TERM).maxWait(WAIT);
        Lease q = lock(b, "q");
        assertThat(answer(both.async().tryAcquire())).isEmpty();
        assertThat(isFree(b, "p")).as("nothing was kept").isTrue();
        CompletableFuture<Lease> wait = both.async().acquire();
        pass(Duration.ofMillis(100));
        assertThat(wait).isNotDone();
        answer(release(b, q));
        Lease lease = granted(wait);
        assertThat(isFree(b, "p")).isFalse();
        assertThat(isFree(b, "q")).isFalse();
        pass(TERM.multipliedBy(2));
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.fence()).isGreaterThan(q.fence());
        assertThat(answer(both.async().release(lease))).isTrue();
        assertThat(isFree(b, "p")).isTrue();
        assertThat(isFree(b, "q")).isTrue();
        await("nothing is left", () -> a.remains() == 0);
    }

    @Test
    void severalLocksOfOnePartitionAreTakenInOneCommit() {
        Member a = process();
        var view = new dev.bellwether.lease.LockService(a.engine.colocated("here"));
        Lease lease =
                granted(view.all(List.of("p", "q", "r")).lease(TERM).async().acquire());
        assertThat(a.tap.requests()).hasSize(1);
        assertThat(a.tap.count(Tap.with(Take.class))).isEqualTo(1);
        lease.close();
        await("given back", () -> view.size() == 0);
    }

    @Test
    void aWaitForSeveralThatEndsGivesEverythingBackL6() {
        Member a = process();
        Member b = process();
        Lease q = lock(b, "q");
        CompletableFuture<Lease> wait =
                a.locks.all(List.of("p", "q", "r")).lease(TERM).async().acquire(Duration.ofMillis(300));
        await("timed out", wait::isDone);
        assertThatThrownBy(wait::join).hasCauseInstanceOf(WaitTimeoutException.class);
        await("p is free", () -> isFree(b, "p"));
        await("r is free", () -> isFree(b, "r"));
        await("nothing is left", () -> a.remains() == 0);
        assertThat(q.isHeld()).isTrue();
    }

    @Test
    void thoseWhoWantTheSameLocksInAnyOrderAllGetThem() {
        List<CompletableFuture<Lease>> waits = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            List<String> names = i % 2 == 0 ? List.of("p", "q", "r") : List.of("r", "p");
            waits.add(
                    process().locks.all(names).lease(TERM).maxWait(WAIT).async().acquire());
        }
        while (!waits.isEmpty()) next(waits).close();
    }

    // Scheduled use

    @Test
    void atLeastKeepsTheNameTakenAfterARelease() {
        Member a = process();
        Member b = process();
        Duration cooling = Duration.ofMillis(600);
        AtomicInteger runs = new AtomicInteger();
        LeaseLock job = a.locks.exclusive("job").atLeast(cooling).atMost(Duration.ofHours(1));
        answer(job.async().call(lease -> CompletableFuture.completedFuture(runs.incrementAndGet())));
        assertThat(isFree(b, "job")).isFalse();
        Duration took = timeUntil(() -> isFree(b, "job"));
        assertThat(took).isBetween(cooling.minusMillis(300), bound(cooling.plusMillis(500)));
        assertThat(runs).hasValue(1);
    }

    @Test
    void atMostEndsALeaseThatRenewsAndIsTold() {
        Member a = process();
        Member b = process();
        LeaseLock job = a.locks.exclusive("job").lease(TERM).atMost(TERM.multipliedBy(2));
        Lease lease = granted(job.async().acquire());
        AtomicReference<LeaseLostException> told = new AtomicReference<>();
        Lease unused = lease.onLost(told::set);
        pass(TERM.plus(TERM.dividedBy(2)));
        assertThat(lease.isHeld()).isTrue();
        assertThat(heard(told).reason()).isEqualTo(Reason.AT_MOST_REACHED);
        lease.close();
        await("freed by who has finished", () -> isFree(b, "job"));
    }

    // Leaders

    @Test
    void thereIsOneLeaderAndTheNextIsElectedAfterItResignsOrDies() {
        List<String> events = new ArrayList<>();
        Member a = process("a");
        Member b = process("b");
        Election first = election(a, "a", events);
        await("a leads", first::isLeader);
        Election second = election(b, "b", events);
        pass(TERM.multipliedBy(2));
        assertThat(second.isLeader()).isFalse();
        assertThat(second.leader()).contains("a");
        long fence = first.term().orElseThrow().fence();
        first.resign();
        await("b leads", second::isLeader);
        assertThat(first.isLeader()).isFalse();
        assertThat(second.term().orElseThrow().fence()).isGreaterThan(fence);
        await("b was told", () -> events.contains("b elected"));
        b.tap.decide(request -> Fate.SWALLOWED);
        await("a leads again", first::isLeader);
        assertThat(second.isLeader()).isFalse();
        b.tap.serveAll();
        first.close();
        await("b leads again", second::isLeader);
        second.close();
        await("all told", () -> events.size() >= 8);
        assertThat(events)
                .filteredOn(event -> event.startsWith("a"))
                .containsExactly("a elected", "a revoked", "a elected", "a revoked");
        assertThat(events)
                .filteredOn(event -> event.startsWith("b"))
                .containsExactly("b elected", "b revoked", "b elected", "b revoked");
        assertThat(events.indexOf("a revoked")).isLessThan(events.indexOf("b elected"));
    }

    private static Election election(Member process, String who, List<String> events) {
        return process.locks
                .election("boss")
                .lease(TERM)
                .onElected(term -> events.add(who + " elected"))
                .onRevoked(loss -> events.add(who + " revoked"))
                .join();
    }

    // The end

    @Test
    void closingTellsWaitersAndHoldersAndGivesEverythingBackL6() { // cases 14, 77
        Member a = process();
        Member b = process();
        List<Lease> held = new ArrayList<>();
        AtomicInteger told = new AtomicInteger();
        for (int i = 0; i < 10; i++) {
            held.add(lock(a, "x" + i).onLost(loss -> {
                if (loss.reason() == Reason.CLOSED) told.incrementAndGet();
            }));
        }
        Lease foreign = lock(b, "y");
        CompletableFuture<Lease> waiting = exclusive(a, "y").async().acquire();
        pass(Duration.ofMillis(50));
        AtomicInteger releases = new AtomicInteger();
        a.tap.decide(request ->
                Tap.with(Release.class).test(request) && releases.incrementAndGet() == 3 ? Fate.REFUSED : Fate.SERVED);
        answer(a.locks.close().thenApply(done -> true));
        await("the waiter is told", waiting::isDone);
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(ClosedException.class);
        await("the holders are told", () -> told.get() == 10);
        assertThat(held).noneMatch(Lease::isHeld);
        for (int i = 0; i < 10; i++) assertThat(isFree(b, "x" + i)).isTrue();
        assertThat(foreign.isHeld()).isTrue();
        assertThat(a.remains()).isZero();
        CompletableFuture<Lease> late = a.locks.exclusive("z").async().acquire();
        await("refused", late::isDone);
        assertThatThrownBy(late::join).hasCauseInstanceOf(ClosedException.class);
    }

    @Test
    void anArgumentThatIsNoLengthOrNumberIsRefusedBeforeAnythingIsSent() { // case 79
        Member a = process();
        LeaseLock lock = a.locks.exclusive("x");
        for (Duration wrong :
                List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofMillis(99), Duration.ofDays(31))) {
            assertThatThrownBy(() -> lock.lease(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> lock.maxWait(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lock.acquire(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lock.atMost(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lock.atMost(TERM).atLeast(TERM.multipliedBy(2)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> a.locks.exclusive("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> a.locks.semaphore("x", 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> a.locks.all(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThat(a.tap.requests()).isEmpty();
    }

    @Test
    void extremeLengthsStillExclude() { // cases 71, 79
        Member a = process();
        Member b = process();
        Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
        Lease lease = granted(a.locks
                .exclusive("x")
                .lease(Duration.ofDays(30))
                .maxWait(endless)
                .atMost(endless)
                .async()
                .acquire());
        assertThat(lease.remaining()).isGreaterThan(Duration.ofDays(29));
        CompletableFuture<Lease> waiting =
                b.locks.exclusive("x").lease(TERM).async().acquire(endless);
        pass(Duration.ofMillis(100));
        assertThat(waiting).isNotDone();
        answer(release(a, lease));
        granted(waiting);
    }

    @Test
    void optionsReturnACopy() {
        LeaseLock lock = process().locks.exclusive("x");
        LeaseLock unused = lock.lease(TERM).fair().quickRelease().interruptOnLoss();
        Lease lease = granted(lock.async().acquire());
        assertThat(lease.remaining()).isGreaterThan(TERM);
    }
}
