// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.testkit.model.RandomHistory;
import dev.bellwether.testkit.model.RandomHistory.Part;
import org.junit.jupiter.api.Test;

/** Random histories, each of which the store must answer as the pure model does. */
class ModelComparisonTest {
    private static final int SEEDS = 150;

    @Test
    void entriesAnswerAsTheModelDoes() {
        for (long seed = 0; seed < SEEDS; seed++) compare(RandomHistory.of(seed).only(Part.ENTRIES));
    }

    @Test
    void leasesAnswerAsTheModelDoes() {
        for (long seed = 0; seed < SEEDS; seed++) compare(RandomHistory.of(seed).only(Part.LEASES));
    }

    @Test
    void queuesAnswerAsTheModelDoes() {
        for (long seed = 0; seed < SEEDS; seed++) compare(RandomHistory.of(seed).only(Part.QUEUES));
    }

    @Test
    void everythingTogetherAnswersAsTheModelDoes() {
        for (long seed = 0; seed < 2 * SEEDS; seed++) compare(RandomHistory.of(seed));
    }

    private static void compare(RandomHistory history) {
        history.steps(500).compare(MemoryBackend::on);
    }
}
