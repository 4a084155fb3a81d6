// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.bellwether.codec.Codec;
import dev.bellwether.codec.Codecs;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JsonCodecProviderTest {
    private static <V> V roundTrip(Class<V> type, V value) throws Exception {
        Codec<V> codec = Codecs.of(type);
        return codec.decode(codec.encode(value));
    }

    private static String json(Object value) throws Exception {
        @SuppressWarnings("unchecked") // the class of a value makes values of that class
        Codec<Object> codec = (Codec<Object>) Codecs.of(value.getClass());
        return new String(codec.encode(value), StandardCharsets.UTF_8);
    }

    private static <V> V read(Class<V> type, String json) throws Exception {
        return Codecs.of(type).decode(json.getBytes(StandardCharsets.UTF_8));
    }

    // Records

    record Price(String sku, BigDecimal amount) {}

    private record Secret(int number) {}

    record Numbers(
            long l, int i, short s, byte b, double d, float f, boolean flag, char c, Long boxed, BigInteger big) {}

    record Times(
            Instant instant,
            Duration duration,
            Period period,
            LocalDate date,
            LocalTime time,
            LocalDateTime both,
            OffsetDateTime offset,
            ZonedDateTime zoned,
            YearMonth month,
            ZoneId zone,
            DayOfWeek day,
            UUID id) {}

    record Nested(
            Price price, List<Price> prices, Map<String, List<Price>> byShop, Set<Long> ids, Optional<Price> best) {}

    record Texts(String text) {}

    record Box<T>(T value, List<? extends T> more) {}

    record Boxes(Box<Price> prices, Box<Box<String>> deep, Map<UUID, Integer> byId, Map<DayOfWeek, String> byDay) {}

    record Tree(String name, List<Tree> children) {}

    record Strict(int positive) {
        Strict {
            if (positive < 1) throw new IllegalArgumentException("not positive: " + positive);
        }
    }

    @Test
    void aRecordIsAnObjectOfItsComponents() throws Exception {
        assertThat(json(new Price("sku", new BigDecimal("1.50")))).isEqualTo("{\"sku\":\"sku\",\"amount\":1.50}");
        assertThat(roundTrip(Price.class, new Price("s", new BigDecimal("1E+3"))))
                .isEqualTo(new Price("s", new BigDecimal("1E+3")));
        assertThat(roundTrip(Secret.class, new Secret(7))).isEqualTo(new Secret(7));
    }

    @Test
    void everyNumberComesBackExactly() throws Exception {
        for (Numbers numbers : List.of(
                new Numbers(
                        Long.MIN_VALUE,
                        Integer.MIN_VALUE,
                        Short.MIN_VALUE,
                        Byte.MIN_VALUE,
                        -0.0,
                        Float.MIN_VALUE,
                        true,
                        'é',
                        null1(),
                        BigInteger.TWO.pow(300)),
                new Numbers(
                        Long.MAX_VALUE,
                        1,
                        (short) 1,
                        (byte) 1,
                        0.1 + 0.2,
                        Float.NaN,
                        false,
                        '\0',
                        Long.MAX_VALUE,
                        BigInteger.ONE.negate()),
                new Numbers(
                        0, 0, (short) 0, (byte) 0, Double.POSITIVE_INFINITY, -0f, false, 'x', 0L, BigInteger.ZERO))) {
            assertThat(roundTrip(Numbers.class, numbers)).isEqualTo(numbers);
        }
    }

    @SuppressWarnings("NullAway") // components may be null
    private static Long null1() {
        return null;
    }

    @SuppressWarnings("NullAway") // components may be null
    private static <T> T none(Class<T> type) {
        return type.cast(null);
    }

    @Test
    void timesAndIdsAreTexts() throws Exception {
        Times times = new Times(
                Instant.ofEpochSecond(1, 1),
                Duration.ofSeconds(-1, 5),
                Period.of(1, -2, 3),
                LocalDate.EPOCH,
                LocalTime.MIDNIGHT,
                LocalDateTime.of(2026, 1, 2, 3, 4, 5, 6),
                OffsetDateTime.of(2026, 1, 2, 3, 4, 5, 6, ZoneOffset.ofHours(-3)),
                ZonedDateTime.of(2026, 6, 2, 3, 4, 0, 0, ZoneId.of("Europe/Paris")),
                YearMonth.of(2026, 2),
                ZoneId.of("Asia/Tokyo"),
                DayOfWeek.FRIDAY,
                new UUID(1, 2));
        assertThat(roundTrip(Times.class, times)).isEqualTo(times);
        assertThat(json(times)).contains("\"duration\":\"PT-0.999999995S\"", "\"day\":\"FRIDAY\"");
        assertThat(roundTrip(UUID.class, new UUID(3, 4))).isEqualTo(new UUID(3, 4));
        assertThat(roundTrip(BigDecimal.class, new BigDecimal("-0.10"))).isEqualTo(new BigDecimal("-0.10"));
        assertThat(roundTrip(DayOfWeek.class, DayOfWeek.MONDAY)).isEqualTo(DayOfWeek.MONDAY);
    }

    @Test
    void collectionsKeepTheirOrderAndTheirNulls() throws Exception {
        Price one = new Price("one", BigDecimal.ONE);
        Nested nested = new Nested(
                one,
                Collections.unmodifiableList(Arrays.asList(one, none(Price.class), one)),
                Map.of("shop", List.of(one), "", List.of()),
                Set.of(1L, 2L),
                Optional.of(one));
        assertThat(roundTrip(Nested.class, nested)).isEqualTo(nested);
    }

    @Test
    void componentsMayBeNullAndAreNotEmpty() throws Exception {
        Price nothing = new Price(none(String.class), none(BigDecimal.class));
        assertThat(roundTrip(Price.class, nothing)).isEqualTo(nothing);
        Nested back = read(Nested.class, "{\"price\":null}");
        assertThat(back.price()).isNull();
        assertThat(back.prices()).isNull();
        assertThat(back.best()).isEmpty();
    }

    @Test
    void typeVariablesAreFollowedIntoRecords() throws Exception {
        Price price = new Price("p", BigDecimal.TEN);
        Boxes boxes = new Boxes(
                new Box<>(price, List.of(price)),
                new Box<>(new Box<>("x", List.of()), List.of(new Box<>("y", List.of("z")))),
                Map.of(new UUID(1, 1), 5),
                Map.of(DayOfWeek.SUNDAY, "rest"));
        assertThat(roundTrip(Boxes.class, boxes)).isEqualTo(boxes);
    }

    @Test
    void aRecordMayContainItself() throws Exception {
        Tree tree =
                new Tree("root", List.of(new Tree("a", List.of(new Tree("b", List.of()))), new Tree("c", List.of())));
        assertThat(roundTrip(Tree.class, tree)).isEqualTo(tree);
    }

    @Test
    void anyTextComesBackAndHalfACharacterIsRefused() throws Exception {
        for (String text : List.of("", "\"\\\n\0", "é𝄞", "x".repeat(100_000))) {
            assertThat(roundTrip(Texts.class, new Texts(text))).isEqualTo(new Texts(text));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> json(new Texts("\ud800")))
                .withMessageContaining("Texts");
    }

    // Sealed interfaces

    sealed interface Mail permits Welcome, Reminder, Flag {}

    record Welcome(String to) implements Mail {}

    sealed interface Reminder extends Mail permits Survey, Bill {}

    record Survey(String to, int days) implements Reminder {}

    record Bill(long cents) implements Reminder {}

    enum Flag implements Mail {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "grün";
            }
        }
    }

    record Envelope(Mail mail, List<Mail> others) {}

    sealed interface Outcome<T> permits Ok, Failed {}

    record Ok<T>(T value) implements Outcome<T> {}

    record Failed<T>(String why) implements Outcome<T> {}

    record Report(Outcome<Price> price, Outcome<List<String>> names) {}

    @Test
    void aCaseOfASealedInterfaceIsNamedAndComesBackAsItself() throws Exception {
        for (Mail mail : List.of(new Welcome("a"), new Survey("b", 3), new Bill(5), Flag.RED, Flag.GREEN)) {
            assertThat(roundTrip(Mail.class, mail)).isEqualTo(mail);
        }
        Codec<Mail> codec = Codecs.of(Mail.class);
        assertThat(new String(codec.encode(new Survey("b", 3)), StandardCharsets.UTF_8))
                .isEqualTo("{\"@type\":\"Survey\",\"to\":\"b\",\"days\":3}");
        Envelope envelope = new Envelope(new Bill(1), List.of(Flag.GREEN, new Welcome("x")));
        assertThat(roundTrip(Envelope.class, envelope)).isEqualTo(envelope);
    }

    @Test
    void casesTakeTheTypeVariablesOfTheirInterface() throws Exception {
        Report report = new Report(new Ok<>(new Price("p", BigDecimal.ONE)), new Failed<>("late"));
        assertThat(roundTrip(Report.class, report)).isEqualTo(report);
        Report other = new Report(new Failed<>("x"), new Ok<>(List.of("a")));
        assertThat(roundTrip(Report.class, other)).isEqualTo(other);
    }

    @Test
    void anUnknownCaseIsAnErrorThatNamesTheKnownOnes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(Mail.class, "{\"@type\":\"Spam\"}"))
                .withMessageContaining("\"Spam\"")
                .withMessageContaining("[Bill, Flag, Survey, Welcome]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(Mail.class, "{}"))
                .withMessageContaining("no @type");
    }

    // Evolution

    @Test
    void aChangedShapeHasAnotherFingerprintWhereverItChanged() {
        assertThat(fingerprint(Price.class)).isNotEqualTo(fingerprint(Newer.Price.class));
        assertThat(fingerprint(Nested.class)).isNotEqualTo(fingerprint(Newer.Nested.class));
        assertThat(fingerprint(Mail.class)).isNotEqualTo(fingerprint(Newer.Mail.class));
        assertThat(fingerprint(Welcome.class)).isNotEqualTo(fingerprint(Survey.class));
        assertThat(fingerprint(Tree.class)).isNotEqualTo(fingerprint(Texts.class));
    }

    @Test
    void movingAClassOrItsComponentsAroundIsNoChange() {
        assertThat(fingerprint(Older.Price.class)).isEqualTo(fingerprint(Price.class));
        assertThat(fingerprint(Older.Tree.class)).isEqualTo(fingerprint(Tree.class));
        assertThat(fingerprint(Newer.Welcome.class)).isEqualTo(fingerprint(Welcome.class));
        assertThat(fingerprint(Price.class)).startsWith("json-").hasSize(21);
    }

    private static String fingerprint(Class<?> type) {
        return Codecs.of(type).fingerprint();
    }

    @Test
    void unknownPropertiesAreIgnoredAndMissingOnesAreNothing() throws Exception {
        assertThat(read(Price.class, "{\"sku\":\"s\",\"new\":[1,{\"x\":2}]}"))
                .isEqualTo(new Price("s", none(BigDecimal.class)));
        assertThat(read(Secret.class, "{}")).isEqualTo(new Secret(0));
    }

    // Errors

    record Threaded(String name, List<Thread> threads) {}

    record Raw(@SuppressWarnings("rawtypes") List list) {}

    record Twice(Optional<Optional<String>> deep) {}

    @SuppressWarnings("ArrayRecordComponent") // to be refused
    record Grid(List<String>[] cells) {}

    record ByPrice(Map<Price, String> map) {}

    sealed interface Odd permits Plain {}

    static final class Plain implements Odd {}

    @Test
    void aTypeWithoutAJsonFormIsRefusedWhenItsCodecIsMadeNamingThePart() {
        refused(Threaded.class, "component threads of " + Threaded.class.getName() + " is a java.lang.Thread");
        refused(Raw.class, "component list of " + Raw.class.getName() + " is a raw java.util.List");
        refused(Box.class, "leaves open what its [T] is");
        refused(Twice.class, "an optional of an optional");
        refused(Grid.class, "is an array; use a List");
        refused(ByPrice.class, "keys of " + Price.class.getName());
        refused(Odd.class, Plain.class.getName() + ", a case of " + Odd.class.getName());
    }

    private static void refused(Class<?> type, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.of(type)).withMessageContaining(message);
    }

    @Test
    void typesOfOthersAreLeftToOthers() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Codecs.of(Thread.class))
                .withMessageContaining("no codec for java.lang.Thread")
                .withMessageContaining("Codec of your own");
        assertThat(Codecs.of(String.class).fingerprint()).isEqualTo("utf8");
    }

    @Test
    void rubbishIsAnErrorThatNamesTypeAndComponent() {
        unread(Price.class, "{", Price.class.getName());
        unread(Price.class, "", "nothing to read");
        unread(Price.class, "[]", "not an object");
        unread(Price.class, "{} {}", Price.class.getName());
        unread(Price.class, "{\"amount\":true}", "component amount of " + Price.class.getName() + ": not a number");
        unread(Secret.class, "{\"number\":1.5}", "component number");
        unread(Secret.class, "{\"number\":99999999999}", "component number");
        unread(
                Nested.class,
                "{\"prices\":[{\"sku\":5}]}",
                "component sku of " + Price.class.getName() + ": not a text: 5");
        unread(Strict.class, "{\"positive\":0}", "not positive: 0");
        unread(Times.class, "{\"day\":\"SOMEDAY\"}", "has no constant \"SOMEDAY\"");
        unread(Times.class, "{\"instant\":\"noon\"}", "component instant");
    }

    private static void unread(Class<?> type, String json, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(type, json))
                .withMessageContaining("cannot read a " + type.getName())
                .withMessageContaining(message);
    }
}
