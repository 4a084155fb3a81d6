// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Acquisition.Busy;
import dev.bellwether.spi.Acquisition.Granted;
import dev.bellwether.spi.Acquisition.Refused;
import dev.bellwether.spi.LeaseMutation.Release;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseRequest.Share;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import dev.bellwether.spi.Tokens;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Leases with room for more than one: semaphores by weight, readers and writers. */
public abstract class CapacityContract extends BackendContract {
    private static final int READ_WRITE = Integer.MAX_VALUE;

    protected CapacityContract() {}

    private LeaseRequest wish(Owner owner, Duration ttl) {
        return LeaseRequest.of(lease("l"), owner, ttl);
    }

    private Release release(Owner owner) {
        return new Release(lease("l"), owner, Quiet.NONE);
    }

    private LeaseRequest share(Owner owner, int weight, int capacity) {
        return wish(owner, LONG).withShare(new Share(weight, capacity));
    }

    @Test
    @Proves(Law.CAPACITY)
    void weightsAreGrantedUpToTheCapacity() {
        Owner two = owner();
        acquire(Granted.class, share(two, 2, 3));
        acquire(Busy.class, share(owner(), 2, 3));
        Owner one = owner();
        acquire(Granted.class, share(one, 1, 3));
        acquire(Busy.class, share(owner(), 1, 3));
        committed(release(one));
        acquire(Busy.class, share(owner(), 2, 3));
        committed(release(two));
        acquire(Granted.class, share(owner(), 3, 3));
        assertThat(holding(lease("l")).holds())
                .extracting(hold -> hold.weight())
                .containsExactly(3);
    }

    @Test
    @Proves(Law.CAPACITY)
    void readersShareAndAWriterExcludes() {
        Owner first = owner();
        Owner second = owner();
        acquire(Granted.class, share(first, 1, READ_WRITE));
        acquire(Granted.class, share(second, 1, READ_WRITE));
        acquire(Busy.class, share(owner(), READ_WRITE, READ_WRITE));
        committed(release(first));
        acquire(Busy.class, share(owner(), READ_WRITE, READ_WRITE));
        committed(release(second));
        Owner writer = owner();
        acquire(Granted.class, share(writer, READ_WRITE, READ_WRITE));
        acquire(Busy.class, share(owner(), 1, READ_WRITE));
        committed(release(writer));
        acquire(Granted.class, share(owner(), 1, READ_WRITE));
    }

    @Test
    @Proves({Law.CAPACITY, Law.TERM})
    void eachHoldEndsByItsOwnTerm() {
        acquire(Granted.class, wish(owner(), term()).withShare(new Share(1, 2)));
        acquire(Granted.class, share(owner(), 1, 2));
        acquire(Busy.class, share(owner(), 1, 2));
        pass(term());
        acquire(Granted.class, share(owner(), 1, 2));
        acquire(Busy.class, share(owner(), 1, 2));
    }

    @Test
    @Proves({Law.CAPACITY_AGREED, Law.REFUSAL})
    void anotherCapacityIsRefusedWhileAnybodyHolds() {
        Owner a = owner();
        acquire(Granted.class, share(a, 1, 2));
        assertThat(acquire(Refused.class, share(owner(), 1, 3)).reason()).contains(" ");
        assertThat(holding(lease("l")).holds()).hasSize(1);
        acquire(Granted.class, share(owner(), 1, 2));
    }

    @Test
    @Proves(Law.CAPACITY_AGREED)
    void aFreeLeaseTakesAnyCapacity() {
        Owner a = owner();
        acquire(Granted.class, share(a, 1, 2));
        committed(release(a));
        acquire(Granted.class, share(owner(), 1, 3));
    }

    @Test
    @Proves(Law.TOKENS)
    void holdersOfOneCapacityHaveDifferentTokens() {
        Tokens one = acquire(Granted.class, share(owner(), 1, 3).withTokens(7)).tokens();
        Tokens two = acquire(Granted.class, share(owner(), 1, 3).withTokens(7)).tokens();
        assertThat(two.first()).isGreaterThan(one.last());
    }
}
