// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Hint;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Subscription;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HintsTest {
    private static final KvKey KEY = KvKey.of(Bytes.utf8("k"));
    private static final LeaseName LEASE = LeaseName.of(Bytes.utf8("k"));
    private static final QueueName QUEUE = QueueName.of(Bytes.utf8("k"));
    private static final Owner OWNER = new Owner(1, 2);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final Hints hints = new Hints(backend);
    private final List<String> told = new ArrayList<>();

    private void tell(Hint hint) {
        List.copyOf(backend.listeners).forEach(listener -> listener.accept(hint));
    }

    @Test
    void eachHintReachesWhoWaitsForExactlyThat() {
        hints.onChanged(KEY, () -> told.add("changed"));
        hints.onFreed(LEASE, () -> told.add("freed"));
        hints.onPassed(OWNER, () -> told.add("passed"));
        hints.onDue(QUEUE, () -> told.add("due"));
        tell(new Hint.Passed(LEASE, new Owner(9, 9)));
        tell(new Hint.Changed(KvKey.of(Bytes.utf8("other"))));
        assertThat(told).isEmpty();
        tell(new Hint.Due(QUEUE));
        tell(new Hint.Changed(KEY));
        tell(new Hint.Freed(LEASE));
        tell(new Hint.Passed(LEASE, OWNER));
        assertThat(told).containsExactly("due", "changed", "freed", "passed");
    }

    @Test
    void aDoubtReachesEverybody() {
        hints.onChanged(KEY, () -> told.add("changed"));
        hints.onDue(QUEUE, () -> told.add("due"));
        hints.onAny(hint -> told.add("any"));
        tell(new Hint.Doubt(1));
        assertThat(told).containsExactlyInAnyOrder("changed", "due", "any");
    }

    @Test
    void aReactionThatThrowsHarmsNobodyElse() {
        hints.onChanged(KEY, () -> {
            throw new IllegalStateException("bad");
        });
        hints.onChanged(KEY, () -> told.add("good"));
        tell(new Hint.Changed(KEY));
        assertThat(told).containsExactly("good");
    }

    @Test
    void theSameReactionRegisteredTwiceEndsOneAtATime() {
        Runnable reaction = () -> told.add("changed");
        Subscription first = hints.onChanged(KEY, reaction);
        Subscription second = hints.onChanged(KEY, reaction);
        first.close();
        first.close();
        tell(new Hint.Changed(KEY));
        assertThat(told).containsExactly("changed");
        second.close();
        assertThat(hints.size()).isZero();
    }

    @Test
    void closingLeavesNothingRegistered() {
        hints.onChanged(KEY, () -> told.add("changed"));
        hints.close();
        assertThat(backend.listeners).isEmpty();
        assertThat(hints.size()).isZero();
    }
}
