// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.engine;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.KvKey;
import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * User keys to ordered bytes and back. The bytes sort as the keys do: numbers by value (NaN last), strings by their UTF-8
 * (which is the order of code points), UUIDs as their text, enums by name, records by their components from the left.
 *
 * <p>A service whose keys are strings stores them as their UTF-8; other keys are written in parts, each self-delimiting:
 * a tag, then numbers most significant byte first with the sign flipped, strings with 0x00 escaped as 0x00 0xFF and ended
 * by 0x00, records as their components in order.
 */
public abstract class Keys<K> {
    private static final byte BYTES = 0x01;
    private static final byte STRING = 0x02;
    private static final byte LONG = 0x10;
    private static final byte DOUBLE = 0x11;
    private static final byte BIG = 0x12;
    private static final byte BOOLEAN = 0x20;
    private static final byte UUIDS = 0x30;
    private static final byte INSTANT = 0x31;
    private static final byte RECORD = 0x40;
    private static final int MOST_DEPTH = 8;
    private static final int MOST_BIG_BYTES = 255;

    abstract void write(K key, ByteArrayOutputStream out);

    abstract K read(ByteBuffer in);

    public Bytes encode(K key) {
        Objects.requireNonNull(key, "the key is null; a key names something");
        ByteArrayOutputStream out = new ByteArrayOutputStream(32);
        write(key, out);
        return Bytes.wrap(out.toByteArray());
    }

    /** Whether a prefix is of whole parts, none of which begins with 0xFF; otherwise it is any beginning of a text. */
    public boolean areInParts() {
        return true;
    }

    /**
     * The bytes with which every key begins whose first parts are these.
     *
     * @throws IllegalArgumentException if keys of this type do not begin so
     */
    public Bytes prefix(List<?> parts) {
        throw new IllegalArgumentException("only strings and records begin with something, not these keys: " + parts);
    }

    /** @throws IllegalArgumentException if the bytes are no key of this type */
    public K decode(Bytes bytes) {
        ByteBuffer in = bytes.asBuffer();
        try {
            K key = read(in);
            if (in.hasRemaining()) throw new IllegalArgumentException(in.remaining() + " bytes too many");
            return key;
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("the key ends too early: " + bytes, e);
        } catch (ArithmeticException | DateTimeException e) {
            throw new IllegalArgumentException("the key lies outside its type: " + bytes, e);
        }
    }

    /**
     * Keys of a class: strings, numbers (integers of up to 255 bytes), booleans, UUIDs, enums, instants, byte arrays, {@code KvKey}, or records of these.
     *
     * @throws IllegalArgumentException for any other class
     */
    public static <K> Keys<K> of(Class<K> type) {
        if (type == String.class) return cast(new Text());
        return of(type, 0);
    }

    @SuppressWarnings("unchecked") // each branch is taken for exactly the class it makes keys of
    private static <K> Keys<K> cast(Keys<?> keys) {
        return (Keys<K>) keys;
    }

    private static <K> Keys<K> of(Class<K> type, int depth) {
        if (depth > MOST_DEPTH)
            throw new IllegalArgumentException(type.getName() + " nests records deeper than " + MOST_DEPTH);
        if (type.isEnum()) return cast(new Constant<>(type.asSubclass(Enum.class)));
        if (type.isRecord()) return new Components<>(type, depth);
        Keys<?> found = SIMPLE.get(type);
        if (found != null) return cast(found);
        throw new IllegalArgumentException(
                type.getName() + " cannot be a key: use strings, numbers, booleans, UUIDs, enums, "
                        + "instants, byte arrays, or a record of these");
    }

    private interface Writing<K> {
        void write(K key, ByteArrayOutputStream out);
    }

    private interface Reading<K> {
        K read(ByteBuffer in);
    }

    private static final class Simple<K> extends Keys<K> {
        private final byte tag;
        private final Writing<K> writing;
        private final Reading<K> reading;

        Simple(byte tag, Writing<K> writing, Reading<K> reading) {
            this.tag = tag;
            this.writing = writing;
            this.reading = reading;
        }

        @Override
        void write(K key, ByteArrayOutputStream out) {
            out.write(tag);
            writing.write(key, out);
        }

        @Override
        K read(ByteBuffer in) {
            expect(tag, in);
            return reading.read(in);
        }
    }

    private static void expect(byte tag, ByteBuffer in) {
        byte found = in.get();
        if (found != tag)
            throw new IllegalArgumentException("a key part of another type: " + found + " where " + tag + " is due");
    }

    private static final Map<Class<?>, Keys<?>> SIMPLE = new HashMap<>();

    private static <K> void simple(Class<K> type, byte tag, Writing<K> writing, Reading<K> reading) {
        SIMPLE.put(type, new Simple<>(tag, writing, reading));
    }

    static {
        simple(
                String.class,
                STRING,
                (key, out) -> escaped(Bytes.utf8(key).toArray(), out),
                in -> new String(unescaped(in), StandardCharsets.UTF_8));
        simple(byte[].class, BYTES, Keys::escaped, Keys::unescaped);
        simple(Bytes.class, BYTES, (key, out) -> escaped(key.toArray(), out), in -> Bytes.wrap(unescaped(in)));
        simple(
                KvKey.class,
                BYTES,
                (key, out) -> escaped(key.name().toArray(), out),
                in -> KvKey.of(Bytes.wrap(unescaped(in))));
        simple(Long.class, LONG, (key, out) -> number(key, out), Keys::number);
        simple(Integer.class, LONG, (key, out) -> number(key, out), in -> Math.toIntExact(number(in)));
        simple(Short.class, LONG, (key, out) -> number(key, out), in ->
                (short) narrow(in, Short.MIN_VALUE, Short.MAX_VALUE));
        simple(Byte.class, LONG, (key, out) -> number(key, out), in ->
                (byte) narrow(in, Byte.MIN_VALUE, Byte.MAX_VALUE));
        simple(BigInteger.class, BIG, Keys::big, Keys::big);
        simple(Double.class, DOUBLE, (key, out) -> fraction(key, out), Keys::fraction);
        simple(Float.class, DOUBLE, (key, out) -> fraction(key, out), in -> (float) fraction(in));
        simple(Boolean.class, BOOLEAN, (key, out) -> out.write(key ? 1 : 0), in -> in.get() != 0);
        simple(
                UUID.class,
                UUIDS,
                (key, out) -> {
                    raw(key.getMostSignificantBits(), out);
                    raw(key.getLeastSignificantBits(), out);
                },
                in -> new UUID(in.getLong(), in.getLong()));
        simple(
                Instant.class,
                INSTANT,
                (key, out) -> {
                    number(key.getEpochSecond(), out);
                    raw(key.getNano(), out);
                },
                in -> Instant.ofEpochSecond(number(in), in.getLong()));
        Map.of(
                        long.class, Long.class,
                        int.class, Integer.class,
                        short.class, Short.class,
                        byte.class, Byte.class,
                        double.class, Double.class,
                        float.class, Float.class,
                        boolean.class, Boolean.class)
                .forEach((primitive, boxed) -> SIMPLE.put(primitive, Objects.requireNonNull(SIMPLE.get(boxed))));
    }

    private static void number(long number, ByteArrayOutputStream out) {
        raw(number ^ Long.MIN_VALUE, out);
    }

    private static long number(ByteBuffer in) {
        return in.getLong() ^ Long.MIN_VALUE;
    }

    private static long narrow(ByteBuffer in, long least, long most) {
        long number = number(in);
        if (number < least || number > most) throw new ArithmeticException(number + " is too large");
        return number;
    }

    /** Sign and length, then the bytes; of a negative number both are inverted, so that larger magnitudes come first. */
    private static void big(BigInteger number, ByteArrayOutputStream out) {
        byte[] magnitude = magnitude(number);
        if (magnitude.length > MOST_BIG_BYTES) {
            throw new IllegalArgumentException(
                    "an integer of " + magnitude.length + " bytes cannot be a key; the limit is " + MOST_BIG_BYTES);
        }
        boolean negative = number.signum() < 0;
        out.write(negative ? 0 : 1);
        out.write(negative ? ~magnitude.length : magnitude.length);
        for (byte b : magnitude) out.write(negative ? ~b : b);
    }

    private static byte[] magnitude(BigInteger number) {
        byte[] bytes = number.abs().toByteArray();
        return bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
    }

    private static BigInteger big(ByteBuffer in) {
        boolean negative = in.get() == 0;
        byte length = in.get();
        byte[] magnitude = new byte[(negative ? ~length : length) & 0xFF];
        in.get(magnitude);
        if (negative) for (int i = 0; i < magnitude.length; i++) magnitude[i] = (byte) ~magnitude[i];
        return new BigInteger(negative ? -1 : 1, magnitude);
    }

    /** IEEE bits ordered as numbers: negative ones inverted, the others with the sign bit set. NaN comes last. */
    private static void fraction(double number, ByteArrayOutputStream out) {
        long bits = Double.doubleToLongBits(number);
        raw(bits < 0 ? ~bits : bits ^ Long.MIN_VALUE, out);
    }

    private static double fraction(ByteBuffer in) {
        long bits = in.getLong();
        return Double.longBitsToDouble(bits < 0 ? bits ^ Long.MIN_VALUE : ~bits);
    }

    private static void raw(long bits, ByteArrayOutputStream out) {
        out.writeBytes(ByteBuffer.allocate(8).putLong(bits).array());
    }

    private static void escaped(byte[] bytes, ByteArrayOutputStream out) {
        for (byte b : bytes) {
            out.write(b);
            if (b == 0) out.write(0xFF);
        }
        out.write(0);
    }

    private static byte[] unescaped(ByteBuffer in) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte b = in.get(); ; b = in.get()) {
            if (b == 0) {
                if (!in.hasRemaining() || in.get(in.position()) != (byte) 0xFF) return out.toByteArray();
                in.get();
            }
            out.write(b);
        }
    }

    /** Strings alone: readable in any tool, and ordered as UTF-8. */
    private static final class Text extends Keys<String> {
        @Override
        void write(String key, ByteArrayOutputStream out) {
            out.writeBytes(Bytes.utf8(key).toArray());
        }

        @Override
        public boolean areInParts() {
            return false;
        }

        @Override
        public Bytes prefix(List<?> parts) {
            if (parts.size() == 1 && parts.get(0) instanceof String text) return Bytes.utf8(text);
            throw new IllegalArgumentException("strings begin with one string, not with " + parts);
        }

        @Override
        String read(ByteBuffer in) {
            byte[] bytes = new byte[in.remaining()];
            in.get(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    @SuppressWarnings("rawtypes") // an enum class of unknown type admits no better
    private static final class Constant<E extends Enum> extends Keys<E> {
        private final Class<E> type;

        Constant(Class<E> type) {
            this.type = type;
        }

        @Override
        void write(E key, ByteArrayOutputStream out) {
            out.write(STRING);
            escaped(key.name().getBytes(StandardCharsets.UTF_8), out);
        }

        @Override
        @SuppressWarnings("unchecked") // as above
        E read(ByteBuffer in) {
            expect(STRING, in);
            return (E) Enum.valueOf(type, new String(unescaped(in), StandardCharsets.UTF_8));
        }
    }

    private static final class Components<R> extends Keys<R> {
        private final Class<R> type;
        private final RecordComponent[] components;
        private final Keys<Object>[] parts;
        private final Constructor<R> constructor;

        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of generic elements
        Components(Class<R> type, int depth) {
            this.type = type;
            this.components = type.getRecordComponents();
            if (components.length == 0)
                throw new IllegalArgumentException(type.getName() + " has no components: all its keys are one");
            this.parts = new Keys[components.length];
            Class<?>[] types = new Class<?>[components.length];
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                parts[i] = (Keys<Object>) Keys.of(types[i], depth + 1);
            }
            this.constructor = opened(type, types);
        }

        private Constructor<R> opened(Class<R> type, Class<?>[] types) {
            try {
                Constructor<R> found = type.getDeclaredConstructor(types);
                found.setAccessible(true);
                for (RecordComponent component : components)
                    component.getAccessor().setAccessible(true);
                return found;
            } catch (ReflectiveOperationException | java.lang.reflect.InaccessibleObjectException e) {
                throw new IllegalArgumentException(
                        type.getName() + " cannot be read as a key; open its package to dev.bellwether.core", e);
            }
        }

        @Override
        void write(R key, ByteArrayOutputStream out) {
            out.write(RECORD);
            for (int i = 0; i < components.length; i++) {
                Object value = component(key, i);
                if (value == null) {
                    throw new IllegalArgumentException(
                            "component " + components[i].getName() + " of the key " + key + " is null");
                }
                parts[i].write(value, out);
            }
        }

        @Override
        public Bytes prefix(List<?> values) {
            if (values.size() > parts.length) {
                throw new IllegalArgumentException(
                        type.getName() + " has " + parts.length + " components, not " + values.size());
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream(32);
            out.write(RECORD);
            for (int i = 0; i < values.size(); i++) {
                if (!MethodType.methodType(components[i].getType())
                        .wrap()
                        .returnType()
                        .isInstance(values.get(i))) {
                    throw new IllegalArgumentException("component " + components[i].getName() + " of " + type.getName()
                            + " is no " + values.get(i).getClass().getName());
                }
                parts[i].write(values.get(i), out);
            }
            return Bytes.wrap(out.toByteArray());
        }

        private Object component(R key, int index) {
            try {
                return components[index].getAccessor().invoke(key);
            } catch (ReflectiveOperationException e) {
                throw new IllegalArgumentException("cannot read the key " + key, e);
            }
        }

        @Override
        R read(ByteBuffer in) {
            expect(RECORD, in);
            Object[] values = new Object[parts.length];
            for (int i = 0; i < parts.length; i++) values[i] = parts[i].read(in);
            try {
                return constructor.newInstance(values);
            } catch (ReflectiveOperationException e) {
                throw new IllegalArgumentException("cannot make a " + type.getName(), e);
            }
        }
    }
}
