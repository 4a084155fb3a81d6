// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.lang.invoke.MethodType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Types that stand in JSON as one number, text or truth value. */
final class Scalars {
    private static final Map<Class<?>, Shape> SHAPES = new HashMap<>();

    private Scalars() {}

    static boolean has(Class<?> type) {
        return SHAPES.containsKey(type);
    }

    static @Nullable Shape find(Class<?> type) {
        return SHAPES.get(type);
    }

    private static <T> void add(Class<T> type, Function<T, JsonNode> writing, Function<JsonNode, T> reading) {
        SHAPES.put(type, new Scalar<>(type, writing, reading, null));
    }

    private static <T> void text(Class<T> type, Function<String, T> parsing) {
        add(type, value -> TextNode.valueOf(value.toString()), node -> parsing.apply(textOf(node)));
    }

    private static <T> void number(Class<T> type, Function<T, BigDecimal> writing, Function<BigDecimal, T> reading) {
        add(type, value -> DecimalNode.valueOf(writing.apply(value)), node -> reading.apply(numberOf(node)));
    }

    static {
        add(String.class, value -> TextNode.valueOf(whole(value)), Scalars::textOf);
        text(UUID.class, UUID::fromString);
        text(URI.class, URI::create);
        text(Instant.class, Instant::parse);
        text(Duration.class, Duration::parse);
        text(Period.class, Period::parse);
        text(LocalDate.class, LocalDate::parse);
        text(LocalTime.class, LocalTime::parse);
        text(LocalDateTime.class, LocalDateTime::parse);
        text(OffsetTime.class, OffsetTime::parse);
        text(OffsetDateTime.class, OffsetDateTime::parse);
        text(ZonedDateTime.class, ZonedDateTime::parse);
        text(ZoneId.class, ZoneId::of);
        text(ZoneOffset.class, ZoneOffset::of);
        text(Year.class, Year::parse);
        text(YearMonth.class, YearMonth::parse);
        text(MonthDay.class, MonthDay::parse);
        text(Character.class, Scalars::character);
        number(Long.class, BigDecimal::valueOf, BigDecimal::longValueExact);
        number(Integer.class, BigDecimal::valueOf, BigDecimal::intValueExact);
        number(Short.class, BigDecimal::valueOf, BigDecimal::shortValueExact);
        number(Byte.class, BigDecimal::valueOf, BigDecimal::byteValueExact);
        number(BigInteger.class, BigDecimal::new, BigDecimal::toBigIntegerExact);
        number(BigDecimal.class, Function.identity(), Function.identity());
        add(Double.class, Scalars::fraction, node -> fraction(node));
        add(Float.class, value -> fraction(value.toString(), value), node -> Float.valueOf(spelled(node)));
        add(Boolean.class, BooleanNode::valueOf, Scalars::truth);
        add(
                byte[].class,
                value -> TextNode.valueOf(Base64.getEncoder().encodeToString(value)),
                node -> Base64.getDecoder().decode(textOf(node)));
        primitive(long.class, 0L);
        primitive(int.class, 0);
        primitive(short.class, (short) 0);
        primitive(byte.class, (byte) 0);
        primitive(double.class, 0.0);
        primitive(float.class, 0f);
        primitive(boolean.class, false);
        primitive(char.class, '\0');
    }

    /** As its box, but never null. */
    private static void primitive(Class<?> type, Object zero) {
        Class<?> box = MethodType.methodType(type).wrap().returnType();
        Shape boxed = SHAPES.get(box);
        if (boxed instanceof Scalar<?> scalar) SHAPES.put(type, scalar.orElse(zero));
    }

    /** Jackson would write half of a surrogate pair as another character, in silence. */
    private static String whole(String text) {
        boolean half = text.codePoints()
                .anyMatch(point -> point <= Character.MAX_VALUE && Character.isSurrogate((char) point));
        if (half) throw new IllegalArgumentException("a text with an unpaired surrogate");
        return text;
    }

    private static String textOf(JsonNode node) {
        if (!node.isTextual()) throw new IllegalArgumentException("not a text: " + shown(node));
        return node.textValue();
    }

    /** Numbers, also in quotes: keys of maps are always texts. */
    private static BigDecimal numberOf(JsonNode node) {
        if (node.isTextual()) return new BigDecimal(node.textValue());
        if (!node.isNumber()) throw new IllegalArgumentException("not a number: " + shown(node));
        return node.decimalValue();
    }

    private static Character character(String text) {
        if (text.length() != 1) throw new IllegalArgumentException("not one character: " + text);
        return text.charAt(0);
    }

    private static Boolean truth(JsonNode node) {
        if (!node.isBoolean()) throw new IllegalArgumentException("neither true nor false: " + shown(node));
        return node.booleanValue();
    }

    private static JsonNode fraction(Double value) {
        return fraction(value.toString(), value);
    }

    /** What JSON has no number for stands as text: NaN, the infinities, and the negative zero. */
    private static JsonNode fraction(String spelled, double value) {
        boolean plain = Double.isFinite(value) && !(value == 0 && 1 / value < 0);
        return plain ? DecimalNode.valueOf(new BigDecimal(spelled)) : TextNode.valueOf(spelled);
    }

    private static Double fraction(JsonNode node) {
        return Double.valueOf(spelled(node));
    }

    private static String spelled(JsonNode node) {
        return node.isTextual() ? node.textValue() : numberOf(node).toString();
    }

    static String shown(JsonNode node) {
        String text = node.toString();
        return text.length() <= 60 ? text : text.substring(0, 60) + "...";
    }

    private static final class Scalar<T> extends Shape {
        private final Class<T> type;
        private final Function<T, JsonNode> writing;
        private final Function<JsonNode, T> reading;
        private final @Nullable Object absent;

        Scalar(Class<T> type, Function<T, JsonNode> writing, Function<JsonNode, T> reading, @Nullable Object absent) {
            this.type = type;
            this.writing = writing;
            this.reading = reading;
            this.absent = absent;
        }

        Scalar<T> orElse(Object zero) {
            return new Scalar<>(type, writing, reading, zero);
        }

        @Override
        JsonNode writePresent(Object value) {
            return writing.apply(type.cast(value));
        }

        @Override
        Object readPresent(JsonNode node) {
            return reading.apply(node);
        }

        @Override
        @Nullable
        Object whenAbsent() {
            return absent;
        }

        @Override
        void describe(StringBuilder text, Set<String> seen) {
            text.append(type.getSimpleName());
        }
    }
}
