// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.KvKey;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KeysTest {
    enum Colour {
        RED,
        BLUE {
            @Override
            public String toString() {
                return "blau";
            }
        }
    }

    record Order(String shop, long number) {}

    record Line(Order order, int position, Colour colour) {}

    record Mixed(Bytes bytes, Instant when, UUID id, boolean flag, double amount, float ratio, short s, byte b) {}

    record Nothing() {}

    record Endless(Endless next) {}

    record Boxed(String name, Object value) {}

    private final Random random = new Random(20_260_101);

    /** Sorting the bytes sorts the keys, and each comes back as it was. */
    private <K> void sortsAs(Class<K> type, Comparator<? super K> order, List<K> keys) {
        Keys<K> codec = Keys.of(type);
        List<K> byOrder = keys.stream().sorted(order).toList();
        List<K> byBytes =
                keys.stream().sorted(Comparator.comparing(codec::encode)).toList();
        assertThat(byBytes).isEqualTo(byOrder);
        assertThat(keys.stream().map(key -> codec.decode(codec.encode(key))).toList())
                .isEqualTo(keys);
        for (K one : keys) {
            for (K other : keys) {
                assertThat(codec.encode(one).equals(codec.encode(other))).isEqualTo(one.equals(other));
            }
        }
    }

    private <K> List<K> some(Supplier<K> source, List<K> edges) {
        return Stream.concat(edges.stream(), Stream.generate(source).limit(60))
                .distinct()
                .toList();
    }

    private String text() {
        String alphabet = "\0\u0001aAzé߿ࠀ￿𐀀𝄞";
        int[] points = alphabet.codePoints().toArray();
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) text.appendCodePoint(points[random.nextInt(points.length)]);
        return text.toString();
    }

    private static final Comparator<String> BY_CODE_POINT = (one, other) -> java.util.Arrays.compare(
            one.codePoints().toArray(), other.codePoints().toArray());

    @Test
    void numbersSortByValue() {
        sortsAs(
                Long.class,
                Comparator.naturalOrder(),
                some(random::nextLong, List.of(Long.MIN_VALUE, -1L, 0L, 1L, 255L, 256L, Long.MAX_VALUE)));
        sortsAs(
                Integer.class,
                Comparator.naturalOrder(),
                some(random::nextInt, List.of(Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE)));
        sortsAs(
                Short.class,
                Comparator.naturalOrder(),
                List.of(Short.MIN_VALUE, (short) -1, (short) 0, Short.MAX_VALUE));
        sortsAs(Byte.class, Comparator.naturalOrder(), List.of(Byte.MIN_VALUE, (byte) -1, (byte) 0, Byte.MAX_VALUE));
    }

    @Test
    void fractionsSortFromMinusInfinityToNaNWithTwoZeros() {
        sortsAs(
                Double.class,
                Comparator.naturalOrder(),
                some(
                        () -> Double.longBitsToDouble(random.nextLong()),
                        List.of(
                                Double.NEGATIVE_INFINITY,
                                -Double.MAX_VALUE,
                                -1.0,
                                -Double.MIN_VALUE,
                                -0.0,
                                0.0,
                                Double.MIN_VALUE,
                                1.0,
                                Double.POSITIVE_INFINITY,
                                Double.NaN)));
        sortsAs(
                Float.class,
                Comparator.naturalOrder(),
                List.of(
                        Float.NEGATIVE_INFINITY,
                        -1f,
                        -0f,
                        0f,
                        Float.MIN_VALUE,
                        1f,
                        Float.POSITIVE_INFINITY,
                        Float.NaN));
    }

    @Test
    void bigIntegersSortByValueUpTo255Bytes() {
        BigInteger largest = BigInteger.ONE.shiftLeft(255 * 8).subtract(BigInteger.ONE);
        sortsAs(
                BigInteger.class,
                Comparator.naturalOrder(),
                some(
                        () -> new BigInteger(random.nextInt(2_000) + 1, random)
                                .multiply(random.nextBoolean() ? BigInteger.ONE : BigInteger.ONE.negate()),
                        List.of(
                                largest,
                                largest.negate(),
                                BigInteger.ZERO,
                                BigInteger.ONE,
                                BigInteger.ONE.negate(),
                                BigInteger.valueOf(128),
                                BigInteger.valueOf(255),
                                BigInteger.valueOf(256),
                                BigInteger.valueOf(-255),
                                BigInteger.valueOf(-256),
                                BigInteger.valueOf(Long.MIN_VALUE))));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Keys.of(BigInteger.class).encode(largest.add(BigInteger.ONE)))
                .withMessageContaining("256 bytes")
                .withMessageContaining("255");
    }

    @Test
    void stringsAloneAreTheirUtf8AndSortByCodePoint() {
        sortsAs(String.class, BY_CODE_POINT, some(this::text, List.of("", "a", "a\0", "b", "\0", "\0\0")));
        assertThat(Keys.of(String.class).encode("grün")).isEqualTo(Bytes.utf8("grün"));
    }

    @Test
    void stringsWithinRecordsSortByCodePointWhateverFollows() {
        sortsAs(
                Order.class,
                Comparator.comparing(Order::shop, BY_CODE_POINT).thenComparingLong(Order::number),
                some(
                        () -> new Order(text(), random.nextInt(3) - 1),
                        List.of(new Order("", 0), new Order("a", -1), new Order("a\0", -1), new Order("a", 1))));
    }

    @Test
    void aStringWithinARecordIsWrittenAsATupleLayerWritesIt() {
        record Only(String part) {}
        assertThat(Keys.of(Only.class).encode(new Only("a\0")).toArray())
                .containsExactly(0x40, 0x02, 'a', 0x00, 0xFF, 0x00);
    }

    @Test
    void byteArraysSortUnsigned() {
        Keys<byte[]> keys = Keys.of(byte[].class);
        List<byte[]> inOrder = List.of(
                new byte[] {}, new byte[] {0}, new byte[] {0, 0}, new byte[] {0, 1}, new byte[] {1}, new byte[] {-1});
        List<Bytes> encoded = new ArrayList<>();
        for (byte[] each : inOrder) {
            encoded.add(keys.encode(each));
            assertThat(keys.decode(keys.encode(each))).isEqualTo(each);
        }
        assertThat(encoded).isSorted();
        sortsAs(
                Bytes.class,
                Comparator.naturalOrder(),
                inOrder.stream().map(Bytes::of).toList());
    }

    @Test
    void instantsSortByTimeAndUuidsAsTheirText() {
        sortsAs(
                Instant.class,
                Comparator.naturalOrder(),
                List.of(
                        Instant.MIN,
                        Instant.ofEpochSecond(-1, 999_999_999),
                        Instant.EPOCH,
                        Instant.ofEpochSecond(0, 1),
                        Instant.MAX));
        sortsAs(
                UUID.class,
                Comparator.comparing(UUID::toString),
                some(() -> new UUID(random.nextLong(), random.nextLong()), List.of(new UUID(-1, -1), new UUID(0, 0))));
    }

    @Test
    void recordsSortByTheirComponentsAndEnumsByName() {
        sortsAs(
                Line.class,
                Comparator.comparing((Line line) -> line.order().shop())
                        .thenComparing(line -> line.order().number())
                        .thenComparing(Line::position)
                        .thenComparing(line -> line.colour().name()),
                List.of(
                        new Line(new Order("a", 2), 1, Colour.RED),
                        new Line(new Order("a", 2), 1, Colour.BLUE),
                        new Line(new Order("a", -2), 9, Colour.BLUE),
                        new Line(new Order("", 2), 1, Colour.BLUE)));
    }

    @Test
    void everyPartTypeFitsIntoOneRecord() {
        Keys<Mixed> keys = Keys.of(Mixed.class);
        Mixed key = new Mixed(
                Bytes.of((byte) 0, (byte) 1), Instant.EPOCH, new UUID(1, 2), true, -0.5, 0.25f, (short) -3, (byte) 4);
        Mixed back = keys.decode(keys.encode(key));
        assertThat(back).isEqualTo(key);
    }

    @Test
    void differentTypesNeverMakeTheSameKey() {
        List<Bytes> encoded = List.of(
                Keys.of(Long.class).encode(1L),
                Keys.of(Double.class).encode(1.0),
                Keys.of(Boolean.class).encode(true),
                Keys.of(BigInteger.class).encode(BigInteger.ONE),
                Keys.of(Bytes.class).encode(Bytes.utf8("1")),
                Keys.of(KvKey.class).encode(KvKey.of(Bytes.utf8("2"))));
        assertThat(encoded).doesNotHaveDuplicates();
    }

    @Test
    void whatIsNoKeyOfTheTypeIsRefused() {
        refused(Long.class, Keys.of(Double.class).encode(1.0));
        refused(Integer.class, Keys.of(Long.class).encode(1L << 40));
        refused(Short.class, Keys.of(Long.class).encode(1L << 20));
        refused(Byte.class, Keys.of(Long.class).encode(200L));
        refused(Long.class, Bytes.of((byte) 0x10, (byte) 1));
        refused(Long.class, Keys.of(Long.class).encode(1L).plus(Bytes.of((byte) 0)));
        refused(Colour.class, Bytes.of((byte) 2, (byte) 'X', (byte) 0));
        refused(Order.class, Bytes.of((byte) 0x40, (byte) 2, (byte) 'X'));
        refused(Instant.class, Bytes.of((byte) 0x31).plus(Bytes.of(new byte[16])));
    }

    private static void refused(Class<?> type, Bytes bytes) {
        assertThatIllegalArgumentException().isThrownBy(() -> Keys.of(type).decode(bytes));
    }

    @Test
    void typesThatCannotBeKeysAreRefusedWhenTheServiceIsBuilt() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Keys.of(List.class))
                .withMessageContaining("java.util.List cannot be a key: use strings");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Keys.of(Boxed.class))
                .withMessageContaining("java.lang.Object");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Keys.of(Nothing.class))
                .withMessageContaining("no components");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Keys.of(Endless.class))
                .withMessageContaining("deeper than 8");
    }

    @Test
    void nullAndHalfCharactersAreRefusedWhenTheKeyIsUsed() {
        assertThatNullPointerException()
                .isThrownBy(() -> Keys.of(String.class).encode(nothing()))
                .withMessageContaining("key is null");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Keys.of(Order.class).encode(new Order(nothing(), 1)))
                .withMessageContaining("component shop");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Keys.of(String.class).encode("\udc00"))
                .withMessageContaining("surrogate");
        assertThat(Keys.of(String.class).decode(Bytes.wrap("ß".getBytes(StandardCharsets.UTF_8))))
                .isEqualTo("ß");
    }

    @SuppressWarnings("NullAway") // stands for what an unchecked caller passes
    private static String nothing() {
        return null;
    }
}
