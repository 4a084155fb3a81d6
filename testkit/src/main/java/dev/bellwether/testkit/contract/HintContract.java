// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Acquisition.Busy;
import dev.bellwether.spi.Acquisition.Granted;
import dev.bellwether.spi.Acquisition.Hushed;
import dev.bellwether.spi.EntryMutation.Count;
import dev.bellwether.spi.EntryMutation.Delete;
import dev.bellwether.spi.EntryMutation.Op;
import dev.bellwether.spi.EntryMutation.Overflow;
import dev.bellwether.spi.EntryMutation.Touch;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation.Break;
import dev.bellwether.spi.LeaseMutation.Leave;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Line;
import dev.bellwether.spi.LeaseRequest.Unless;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Subscription;
import dev.bellwether.spi.Version;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * That a hint comes where one was armed, on backends with {@link Power#PUSHED_HINTS}. Hints that nobody armed are
 * allowed, so no test forbids one, but for those that a closed subscription would bring.
 */
public abstract class HintContract extends QueueFixture {
    private final Queue<Hint> heard = new ConcurrentLinkedQueue<>();

    protected HintContract() {}

    @BeforeEach
    final void listen() {
        Subscription unused = backend().listen(heard::add);
        settleSubscription();
    }

    /** What was subscribed a moment ago may need a trip before it hears. */
    private void settleSubscription() {
        absent(key("none"));
        pass(exact() ? Duration.ZERO : term());
    }

    private void assertHeard(Hint hint) {
        if (!can(Power.PUSHED_HINTS)) return;
        assertThat(eventually(() -> heard.contains(hint)))
                .as(hint + " among " + heard)
                .isTrue();
    }

    private void arm(KvKey... keys) {
        heard.clear();
        read(new Query.Keys(List.of(keys), true));
    }

    private void assertArmed(KvKey key, Mutation mutation) {
        arm(key);
        committed(mutation);
        assertHeard(new Hint.Changed(key));
    }

    @Test
    @Proves(Law.CHANGED_HINT)
    void eachKindOfChangeIsHintedToWhoReadArmed() {
        KvKey key = key("k");
        assertArmed(key, put(key, "a"));
        assertArmed(key, put(key, "b"));
        assertArmed(key, new Touch(key, Expiry.after(LONG)));
        assertArmed(key, new Delete(key, LONG));
        assertArmed(key, put(key, "c"));
        assertArmed(key, new Delete(key, Duration.ZERO));
        assertArmed(key, new Count(key, Op.ADD, 1, Overflow.FAIL, Expiry.KEEP));
        assertArmed(key, new Count(key, Op.ADD, 1, Overflow.FAIL, Expiry.KEEP));
    }

    @Test
    @Proves(Law.CHANGED_HINT)
    void eachKeyOfAnArmedReadIsHinted() {
        committed(put(key("a"), "1"));
        arm(key("a"), key("b"), KvKey.of(name("c")));
        committed(put(KvKey.of(name("c")), "x"));
        committed(put(key("b"), "x"));
        committed(put(key("a"), "x"));
        for (KvKey key : List.of(key("a"), key("b"), KvKey.of(name("c")))) assertHeard(new Hint.Changed(key));
    }

    // Leases

    private LeaseRequest wish(Owner owner) {
        return LeaseRequest.of(lease("l"), owner, LONG);
    }

    private Owner holder() {
        Owner owner = owner();
        acquire(Granted.class, wish(owner));
        return owner;
    }

    @Test
    @Proves(Law.LEASE_HINTS)
    void aFreedLeaseIsHintedToThoseRefused() {
        Owner a = holder();
        for (Mutation end : List.of(
                new Release(lease("l"), a, Quiet.NONE), new Leave(lease("l"), a), new Break(lease("l"), null, true))) {
            if (holding(lease("l")).holds().isEmpty()) a = holder();
            acquire(Busy.class, wish(owner()));
            heard.clear();
            Mutation ended = end instanceof Leave ? new Leave(lease("l"), a) : end;
            committed(ended);
            assertHeard(new Hint.Freed(lease("l")));
        }
    }

    @Test
    @Proves({Law.LEASE_HINTS, Law.QUIET})
    void aBrokenQuietIsHintedToThoseHushed() {
        Owner a = holder();
        committed(new Release(lease("l"), a, new Quiet(LONG, bytes("note"))));
        acquire(Hushed.class, wish(owner()));
        heard.clear();
        committed(new Break(lease("l"), null, true));
        assertHeard(new Hint.Freed(lease("l")));
    }

    @Test
    @Proves({Law.CHANGED_HINT, Law.UNLESS})
    void aRefusalArmsTheEntryThatWasAskedForToo() {
        holder();
        acquire(Busy.class, wish(owner()).withUnless(new Unless(key("k"), Version.NONE)));
        heard.clear();
        committed(put(key("k"), "filled"));
        assertHeard(new Hint.Changed(key("k")));
    }

    @Test
    @Proves({Law.LEASE_HINTS, Law.HANDOVER})
    void aTurnIsHintedToItsOwner() {
        for (Duration patience : List.of(Duration.ZERO, LONG)) {
            Owner a = holder();
            Owner next = owner();
            acquire(Busy.class, wish(next).withLine(new Line(LONG, LONG, patience)));
            heard.clear();
            committed(new Release(lease("l"), a, Quiet.NONE));
            assertHeard(new Hint.Passed(lease("l"), next));
            acquire(Granted.class, wish(next));
            committed(new Release(lease("l"), next, Quiet.NONE));
        }
    }

    // Queues

    @Test
    @Proves(Law.DUE_HINT)
    void aRegisteredConsumerIsHintedOfANewMessage() {
        claim(request(consumer, 1, LONG, LONG));
        heard.clear();
        add(message("m"));
        assertHeard(new Hint.Due(queue()));
    }

    @Test
    @Proves(Law.DUE_HINT)
    void aRegisteredConsumerIsHintedOfAnEarlierMoment() {
        add(delayed("late", LONG));
        claim(request(consumer, 1, LONG, LONG));
        heard.clear();
        add(delayed("earlier", LONG.dividedBy(2)));
        assertHeard(new Hint.Due(queue()));
        heard.clear();
        add(message("now"));
        assertHeard(new Hint.Due(queue()));
    }

    @Test
    @Proves(Law.DUE_HINT)
    void oneMoreConsumerIsHintedWhenAClaimLeavesSomething() {
        claim(request(new Consumer(), 1, LONG, LONG));
        claim(request(new Consumer(), 1, LONG, LONG));
        add(message("a"));
        add(message("b"), message("c"));
        claim(request(new Consumer(), 1, LONG, LONG));
        assertHeard(new Hint.Due(queue()));
    }

    // Listeners

    @Test
    @Proves(Law.LISTENERS)
    void aClosedSubscriptionHearsNothingAndMayBeClosedAgain() {
        Queue<Hint> closed = new ConcurrentLinkedQueue<>();
        Subscription subscription = backend().listen(closed::add);
        settleSubscription();
        subscription.close();
        subscription.close();
        closed.clear();
        assertArmed(key("k"), put(key("k"), "a"));
        assertThat(closed).as("heard after the close").isEmpty();
    }

    @Test
    @Proves(Law.LISTENERS)
    void aListenerThatThrowsDisturbsNobody() {
        Subscription unused = backend().listen(hint -> {
            throw new IllegalStateException("a listener that throws");
        });
        Queue<Hint> after = new ConcurrentLinkedQueue<>();
        Subscription other = backend().listen(after::add);
        settleSubscription();
        for (String value : List.of("a", "b")) {
            after.clear();
            assertArmed(key("k"), put(key("k"), value));
            if (can(Power.PUSHED_HINTS)) {
                assertThat(eventually(() -> after.contains(new Hint.Changed(key("k")))))
                        .as("the listener after the one that throws")
                        .isTrue();
            }
        }
        other.close();
    }
}
