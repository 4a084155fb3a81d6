// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Tokens;

/** One holder of a lease. Times are the store's microseconds. */
final class Hold {
    private final Owner owner;
    private final Tokens tokens;
    private final int weight;
    private final long since;
    private long deadline;
    private boolean confirmed;
    private boolean barred;

    Hold(Owner owner, Tokens tokens, int weight, long since, long deadline, boolean confirmed) {
        this.owner = owner;
        this.tokens = tokens;
        this.weight = weight;
        this.since = since;
        this.deadline = deadline;
        this.confirmed = confirmed;
    }

    Owner owner() {
        return owner;
    }

    Tokens tokens() {
        return tokens;
    }

    int weight() {
        return weight;
    }

    long deadline() {
        return deadline;
    }

    void endAt(long moment) {
        deadline = moment;
    }

    void confirm() {
        confirmed = true;
    }

    boolean isBarred() {
        return barred;
    }

    void bar() {
        barred = true;
    }

    LeaseState.Hold state(Moment moment) {
        return new LeaseState.Hold(
                owner, tokens, weight, Moment.length(moment.micros() - since), moment.until(deadline), confirmed);
    }
}
