// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.codec.Codec;
import dev.bellwether.codec.Codecs;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JsonCodecsTest {
    enum Colour {
        RED,
        GREEN
    }

    record Everything(
            String text,
            int number,
            BigDecimal amount,
            Instant moment,
            Duration length,
            UUID id,
            Colour colour,
            List<Map<String, Long>> nested,
            Optional<String> maybe) {}

    sealed interface Mail permits Welcome, Survey {}

    record Welcome(String to) implements Mail {}

    record Survey(String to, int questions) implements Mail {}

    record Envelope(List<Mail> mails) {}

    private static <V> V roundTrip(Codec<V> codec, V value) throws Exception {
        return codec.decode(codec.encode(value));
    }

    @Test
    void aRecordOfManyTypesComesBackEqual() throws Exception {
        Everything value = new Everything(
                "grüß \u0000 \uD83D\uDC0F",
                -7,
                new BigDecimal("12.340"),
                Instant.parse("2026-12-01T00:00:00.123456789Z"),
                Duration.ofNanos(1_000_000_001),
                UUID.fromString("123e4567-e89b-12d3-a456-426614174000"),
                Colour.GREEN,
                List.of(Map.of("a", Long.MAX_VALUE)),
                Optional.of("yes"));
        assertThat(roundTrip(JsonCodecs.of(Everything.class), value)).isEqualTo(value);
    }

    @Test
    void coreFindsItByItself() throws Exception {
        assertThat(roundTrip(Codecs.of(Welcome.class), new Welcome("ada"))).isEqualTo(new Welcome("ada"));
    }

    @Test
    void casesOfASealedInterfaceAreToldApartAlsoInsideLists() throws Exception {
        assertThat(roundTrip(JsonCodecs.of(Mail.class), new Survey("ada", 3))).isEqualTo(new Survey("ada", 3));
        Envelope both = new Envelope(List.of(new Welcome("ada"), new Survey("bob", 1)));
        assertThat(roundTrip(JsonCodecs.of(Envelope.class), both)).isEqualTo(both);
    }

    @Test
    void dataCannotNameATypeThatTheClassDoesNot() {
        byte[] foreign = "{\"@type\":\"java.lang.ProcessBuilder\",\"to\":\"x\"}".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> JsonCodecs.of(Mail.class).decode(foreign)).hasMessageContaining("ProcessBuilder");
    }

    @Test
    void aFieldThatIsNotKnownYetIsSkippedAndAnAbsentOneIsNull() throws Exception {
        byte[] later = "{\"to\":\"ada\",\"added\":1}".getBytes(StandardCharsets.UTF_8);
        assertThat(JsonCodecs.of(Welcome.class).decode(later)).isEqualTo(new Welcome("ada"));
        byte[] without = "{}".getBytes(StandardCharsets.UTF_8);
        assertThat(JsonCodecs.of(Welcome.class).decode(without).to()).isNull();
    }

    @Test
    void rubbishIsRefused() {
        Codec<Welcome> codec = JsonCodecs.of(Welcome.class);
        for (String rubbish : List.of("", "null", "{", "[]", "{\"to\":\"a\"} {}", "\u0000")) {
            assertThatThrownBy(() -> codec.decode(rubbish.getBytes(StandardCharsets.UTF_8)))
                    .as(rubbish)
                    .isInstanceOf(Exception.class);
        }
    }

    @Test
    void anotherShapeHasAnotherFingerprint() {
        assertThat(JsonCodecs.of(Welcome.class).fingerprint())
                .isEqualTo(JsonCodecs.of(Welcome.class).fingerprint())
                .contains("to:java.lang.String");
        assertThat(JsonCodecs.of(Survey.class).fingerprint())
                .isNotEqualTo(JsonCodecs.of(Welcome.class).fingerprint());
    }
}
