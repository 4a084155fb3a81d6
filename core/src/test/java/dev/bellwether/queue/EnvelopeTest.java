// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnvelopeTest {
    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    @Test
    void anOptionMakesACopyAndLeavesTheOriginal() {
        Envelope plain = Envelope.in(Duration.ofSeconds(3));
        Envelope full = plain.dedupe("k", Duration.ofDays(1))
                .priority(7)
                .group("g")
                .header("a", "1")
                .header("b", "2");
        assertThat(plain.dedupeKey()).isEmpty();
        assertThat(plain.headers()).isEmpty();
        assertThat(full.dedupeKey()).contains("k");
        assertThat(full.dedupeWindow()).isEqualTo(Duration.ofDays(1));
        assertThat(full.isReplacing()).isFalse();
        assertThat(full.priority()).isEqualTo(7);
        assertThat(full.group()).contains("g");
        assertThat(full.headers()).isEqualTo(Map.of("a", "1", "b", "2"));
        assertThat(full.delayFrom(NOW)).isEqualTo(Duration.ofSeconds(3));
        assertThat(full.replace("k", Duration.ofDays(1)).isReplacing()).isTrue();
    }

    @Test
    void aMomentThatHasPassedMeansNow() {
        assertThat(Envelope.at(NOW.plusSeconds(60)).delayFrom(NOW)).isEqualTo(Duration.ofMinutes(1));
        assertThat(Envelope.at(NOW.minusSeconds(60)).delayFrom(NOW)).isEqualTo(Duration.ZERO);
        assertThat(Envelope.at(Instant.MAX).delayFrom(NOW)).isPositive();
    }

    @Test
    void whatCannotBeMeantIsRefusedByName() { // queue faults 44, 79
        assertThatThrownBy(() -> Envelope.in(Duration.ofMillis(-1))).hasMessageContaining("delay");
        assertThatThrownBy(() -> Envelope.now().priority(64)).hasMessageContaining("63");
        assertThatThrownBy(() -> Envelope.now().priority(-1)).hasMessageContaining("priority");
        assertThatThrownBy(() -> Envelope.now().dedupe("", Duration.ofDays(1))).hasMessageContaining("key");
        assertThatThrownBy(() -> Envelope.now().dedupe("k", Duration.ZERO)).hasMessageContaining("window");
        assertThatThrownBy(() -> Envelope.now().group("")).hasMessageContaining("group");
        assertThatThrownBy(() -> Envelope.now().header("", "x")).hasMessageContaining("header");
    }
}
