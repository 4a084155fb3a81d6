// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Counter;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CodecsTest {
    private static <V> V roundTrip(Codec<V> codec, V value) throws Exception {
        return codec.decode(codec.encode(value));
    }

    @Test
    void everyBuiltInTypeComesBackAsItWas() throws Exception {
        assertThat(roundTrip(Codecs.of(String.class), "a\0é𝄞")).isEqualTo("a\0é𝄞");
        assertThat(roundTrip(Codecs.of(byte[].class), new byte[] {0, -1})).containsExactly(0, -1);
        assertThat(roundTrip(Codecs.of(Bytes.class), Bytes.of((byte) 3))).isEqualTo(Bytes.of((byte) 3));
        for (long number : new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE}) {
            assertThat(roundTrip(Codecs.of(Long.class), number)).isEqualTo(number);
            assertThat(roundTrip(Codecs.of(Integer.class), (int) number)).isEqualTo((int) number);
            assertThat(roundTrip(Codecs.of(Short.class), (short) number)).isEqualTo((short) number);
            assertThat(roundTrip(Codecs.of(Byte.class), (byte) number)).isEqualTo((byte) number);
        }
        for (double number : new double[] {-0.0, 0.0, Double.NaN, Double.MIN_VALUE, Double.NEGATIVE_INFINITY}) {
            assertThat(roundTrip(Codecs.of(Double.class), number)).isEqualTo(Double.valueOf(number));
            assertThat(roundTrip(Codecs.of(Float.class), (float) number)).isEqualTo(Float.valueOf((float) number));
        }
        assertThat(roundTrip(Codecs.of(Boolean.class), true)).isTrue();
        assertThat(roundTrip(Codecs.of(Boolean.class), false)).isFalse();
    }

    @Test
    void primitiveClassesHaveTheCodecsOfTheirBoxes() {
        assertThat(Codecs.of(long.class)).isSameAs(Codecs.of(Long.class));
        assertThat(Codecs.of(boolean.class)).isSameAs(Codecs.of(Boolean.class));
    }

    @Test
    void aLongIsACounterOfTheSpi() throws Exception {
        assertThat(Codecs.of(Long.class).encode(42L))
                .isEqualTo(Counter.encode(42).toArray());
    }

    @Test
    void containersComeBackInOrder() throws Exception {
        assertThat(roundTrip(Codecs.list(String.class), List.of("b", "", "a"))).containsExactly("b", "", "a");
        assertThat(roundTrip(Codecs.list(String.class), List.of())).isEmpty();
        Map<String, Long> map = new LinkedHashMap<>();
        map.put("z", 1L);
        map.put("", 2L);
        assertThat(roundTrip(Codecs.map(Long.class), map)).containsExactlyEntriesOf(map);
        assertThat(roundTrip(Codecs.optional(String.class), Optional.empty())).isEmpty();
        assertThat(roundTrip(Codecs.optional(String.class), Optional.of(""))).contains("");
        assertThat(roundTrip(Codecs.list(Codecs.optional(Long.class)), List.of(Optional.of(1L), Optional.empty())))
                .containsExactly(Optional.of(1L), Optional.empty());
    }

    @Test
    void differentShapesHaveDifferentFingerprints() {
        List<Codec<?>> codecs = List.of(
                Codecs.of(String.class),
                Codecs.of(byte[].class),
                Codecs.of(Long.class),
                Codecs.of(Integer.class),
                Codecs.of(Short.class),
                Codecs.of(Byte.class),
                Codecs.of(Double.class),
                Codecs.of(Float.class),
                Codecs.of(Boolean.class),
                Codecs.list(Long.class),
                Codecs.map(Long.class),
                Codecs.optional(Long.class),
                Codecs.list(Codecs.list(Long.class)));
        Set<String> fingerprints = new HashSet<>();
        codecs.forEach(codec -> fingerprints.add(codec.fingerprint()));
        assertThat(fingerprints).hasSameSizeAs(codecs);
    }

    @Test
    void rubbishIsRefusedInsteadOfMisread() {
        refused(Codecs.of(Long.class), new byte[8]);
        refused(Codecs.of(Integer.class), new byte[5]);
        refused(Codecs.of(Boolean.class), new byte[0]);
        refused(Codecs.list(String.class), new byte[] {0, 0});
        refused(Codecs.list(String.class), new byte[] {0, 0, 0, 9, 1});
        refused(Codecs.list(String.class), new byte[] {-1, 0, 0, 9, 1});
        refused(Codecs.map(String.class), new byte[] {0, 0, 0, 0});
        refused(Codecs.optional(String.class), new byte[] {7, 65});
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Codecs.of(String.class).encode("\ud800"))
                .withMessageContaining("surrogate");
    }

    private static void refused(Codec<?> codec, byte[] rubbish) {
        assertThatIllegalArgumentException().isThrownBy(() -> codec.decode(rubbish));
    }

    @Test
    void aTypeWithoutACodecIsAnErrorThatNamesTheArtifact() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Codecs.of(Thread.class))
                .withMessage("no codec for java.lang.Thread: add the artifact dev.bellwether:bellwether-json, "
                        + "or pass a Codec of your own");
    }
}
