// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.testkit.ManualTime;
import dev.bellwether.testkit.model.AlteredBackend.Alteration;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RandomHistoryTest {
    private static final int SEEDS = 40;

    @Test
    void theModelAgreesWithItself() {
        for (int seed = 0; seed < SEEDS; seed++) {
            RandomHistory.of(seed).steps(300).compare(ModelBackend::new);
        }
    }

    @Test
    void theModelAgreesWithItselfAtAnotherClock() {
        for (int seed = 0; seed < SEEDS / 2; seed++) {
            ManualTime other = new ManualTime();
            other.advance(Duration.ofDays(100));
            RandomHistory.of(seed).steps(300).compareRelaxed(new ModelBackend(other), other::advance);
        }
    }

    @ParameterizedTest
    @EnumSource(Alteration.class)
    void everyAlterationIsCaught(Alteration alteration) {
        assertThatThrownBy(() -> {
                    for (int seed = 0; seed < SEEDS; seed++) {
                        RandomHistory.of(seed)
                                .steps(300)
                                .compare(time -> new AlteredBackend(new ModelBackend(time), alteration));
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("differs from the model at step");
    }

    @ParameterizedTest
    @EnumSource(
            value = Alteration.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"ENTRY_LIVES_A_MILLISECOND_LONGER", "LEASE_ENDS_A_MILLISECOND_EARLIER"})
    void everyAlterationOfMoreThanAMomentIsCaughtWithoutACommonClock(Alteration alteration) {
        assertThatThrownBy(() -> {
                    for (int seed = 0; seed < SEEDS; seed++) {
                        ManualTime other = new ManualTime();
                        KvBackend altered = new AlteredBackend(new ModelBackend(other), alteration);
                        RandomHistory.of(seed).steps(300).compareRelaxed(altered, other::advance);
                    }
                })
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void aFailureReplaysExactlyAndIsShrunk() {
        Throwable first = failureOf(Alteration.FIRST_OBSTACLE_ONLY);
        assertThat(failureOf(Alteration.FIRST_OBSTACLE_ONLY)).hasMessage(first.getMessage());
        assertThat(first.toString().lines().count()).isLessThan(20);
    }

    private static Throwable failureOf(Alteration alteration) {
        for (int seed = 0; seed < SEEDS; seed++) {
            RandomHistory history = RandomHistory.of(seed).steps(300);
            Throwable failure = catchThrowable(
                    () -> history.compare(time -> new AlteredBackend(new ModelBackend(time), alteration)));
            if (failure != null) return failure;
        }
        throw new AssertionError("not caught: " + alteration);
    }
}
