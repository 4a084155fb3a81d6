// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bellwether.delivery.Wrapping.Turn;
import dev.bellwether.queue.Recurrence;
import dev.bellwether.spi.Bytes;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WrappingTest {
    private static final Recurrence DAILY = Recurrence.every(Duration.ofDays(1));

    @Test
    void everyEnvelopeReadsAsItWasWritten() {
        Random random = new Random(42);
        for (int i = 0; i < 2_000; i++) {
            Wrapping wrapping = any(random);
            assertThat(Wrapping.read(wrapping.bytes())).isEqualTo(wrapping);
        }
    }

    private static Wrapping any(Random random) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) headers.put("h" + i, "\u00e4\u20ac".repeat(random.nextInt(200)));
        byte[] content = new byte[random.nextInt(300)];
        random.nextBytes(content); // any bytes, NUL and invalid UTF-8 among them (queue fault 61)
        Turn turn = random.nextBoolean() ? null : new Turn("nightly", DAILY, random.nextLong());
        return new Wrapping(
                random.nextLong(), random.nextInt(3), "f" + random.nextInt(), headers, turn, Bytes.wrap(content));
    }

    /** Formats stand for ever: a process of the next release reads what this one wrote. */
    @Test
    void version1IsReadAsDocumented() {
        Wrapping plain = Wrapping.read(hex("01 00 0000000000000005 04 75746638 6869"));
        assertThat(plain).isEqualTo(new Wrapping(5, 0, "utf8", Map.of(), null, Bytes.utf8("hi")));
        Wrapping full = Wrapping.read(hex("01 07 0000000000000005 04 75746638 0000000000000fa0 01 01 61 01 62"
                + " 01 6e 0b 657665727920 5054323448 0000000000000009 6869"));
        assertThat(full)
                .isEqualTo(new Wrapping(5, 4_000, "utf8", Map.of("a", "b"), new Turn("n", DAILY, 9), Bytes.utf8("hi")));
    }

    private static Bytes hex(String text) {
        return Bytes.wrap(HexFormat.of().parseHex(text.replace(" ", "")));
    }

    @Test
    void whatALaterReleaseWroteIsRefusedRatherThanMisread() {
        assertThatThrownBy(() -> Wrapping.read(hex("02 00"))).hasMessageContaining("version 2");
        assertThatThrownBy(() -> Wrapping.read(hex("01 40"))).hasMessageContaining("flags 64");
    }

    @Test
    void noBytesWhateverMakeTheReaderFailOtherwiseThanByRefusal() { // queue fault 83
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] noise = i % 2 == 0 ? any(random).bytes().toArray() : new byte[random.nextInt(40)];
            if (i % 2 == 0) {
                noise[random.nextInt(noise.length)] ^= (byte) (1 << random.nextInt(8));
            } else {
                random.nextBytes(noise);
                if (noise.length > 1) noise[0] = 1;
            }
            try {
                assertThat(Wrapping.read(Bytes.wrap(noise))).isNotNull();
            } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageNotContaining("null");
            }
        }
    }
}
