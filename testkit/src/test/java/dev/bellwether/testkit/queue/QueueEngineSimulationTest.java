// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.testkit.sim.Faults;
import dev.bellwether.testkit.sim.SimWorld;
import dev.bellwether.testkit.sim.Simulations;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Q1, Q2, Q3 and Q4 over many schedules: crashes, pauses and closes at any step, lost requests, replies and hints. */
class QueueEngineSimulationTest {
    @Test
    void noMessageIsLostAndNoStaleReceiptCountsOnABadDay() {
        assertThat(explore(6_000, 1, Faults.mild(), (world, network) -> network))
                .isEqualTo(6_000);
    }

    @Test
    void noMessageIsLostAndNoStaleReceiptCountsWhenAThirdOfAllRequestsMeetAFault() {
        assertThat(explore(4_000, 1_000_000, Faults.wild(), (world, network) -> network))
                .isEqualTo(4_000);
    }

    @Test
    void anEngineThatAcknowledgesFirstIsCaught() {
        assertCaught(BrokenEngines::acknowledgesFirst, "no handler has ever completed it");
    }

    @Test
    void anEngineWhoseHeartbeatsStopIsCaught() { // queue faults 16, 22
        assertCaught(BrokenEngines::doesNotExtend, "is believed current");
    }

    @Test
    void anEngineThatSettlesWithoutReceiptIsCaught() { // queue faults 1, 20
        assertCaught(BrokenEngines::settlesWithoutReceipt, "Q");
    }

    @Test
    void anEngineThatForgetsAcknowledgementsIsCaught() {
        assertCaught(BrokenEngines::forgetsAcknowledgements, "Q");
    }

    @Test
    void anEngineThatMistakesTheLengthOfItsLeaseIsCaught() {
        assertCaught(BrokenEngines::leasesTooShort, "is believed current");
    }

    private static void assertCaught(BiFunction<SimWorld, KvBackend, KvBackend> broken, String words) {
        assertThatThrownBy(() -> explore(500, 1, Faults.mild(), broken))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(words)
                .hasMessageContaining("world of seed");
    }

    private static int explore(
            int count, long firstSeed, Faults faults, BiFunction<SimWorld, KvBackend, KvBackend> wiring) {
        return Simulations.explore(count, firstSeed, faults, world -> new QueueSimulation(world, wiring).play())
                .schedules();
    }
}
