// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.codec;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Counter;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Function;

/**
 * The built-in codecs: strings as UTF-8, byte arrays as they are, longs as counters, other primitives in big-endian form,
 * lists, maps and optionals of anything that has a codec. Everything else comes from a {@link CodecProvider}, such as the
 * artifact {@code bellwether-json}.
 */
public final class Codecs {
    private static final Map<Class<?>, Codec<?>> BUILT_IN = Map.of(
            String.class, new Simple<>("utf8", Codecs::utf8, bytes -> new String(bytes, StandardCharsets.UTF_8)),
            byte[].class, new Simple<byte[]>("bytes", byte[]::clone, byte[]::clone),
            Bytes.class, new Simple<>("bytes", Bytes::toArray, Bytes::of),
            Long.class, new Simple<>("i64", number -> Counter.encode(number).toArray(), Codecs::counter),
            Integer.class,
                    new Simple<>(
                            "i32",
                            number -> buffer(4).putInt(number).array(),
                            b -> exactly(4, b).getInt()),
            Short.class,
                    new Simple<>(
                            "i16",
                            number -> buffer(2).putShort(number).array(),
                            b -> exactly(2, b).getShort()),
            Double.class,
                    new Simple<>(
                            "f64",
                            number -> buffer(8).putDouble(number).array(),
                            b -> exactly(8, b).getDouble()),
            Float.class,
                    new Simple<>(
                            "f32",
                            number -> buffer(4).putFloat(number).array(),
                            b -> exactly(4, b).getFloat()),
            Byte.class,
                    new Simple<>(
                            "i8",
                            number -> new byte[] {number},
                            b -> exactly(1, b).get()),
            Boolean.class, new Simple<>("bool", flag -> new byte[] {(byte) (flag ? 1 : 0)}, Codecs::flag));

    private Codecs() {}

    /**
     * The codec for a type.
     *
     * @throws IllegalArgumentException if there is none, naming the artifact that brings one for records and the like
     */
    @SuppressWarnings("unchecked") // the table pairs each class with a codec of that class
    public static <V> Codec<V> of(Class<V> type) {
        Codec<?> builtIn = BUILT_IN.get(MethodType.methodType(type).wrap().returnType());
        if (builtIn != null) return (Codec<V>) builtIn;
        for (CodecProvider provider : Providers.FOUND) {
            Optional<Codec<V>> found = provider.find(type);
            if (found.isPresent()) return found.get();
        }
        throw new IllegalArgumentException("no codec for " + type.getName() + ": " + remedy());
    }

    private static String remedy() {
        return Providers.FOUND.isEmpty()
                ? "add the artifact dev.bellwether:bellwether-json, or pass a Codec of your own"
                : "pass a Codec of your own, such as Codecs.list, map or optional of something else";
    }

    public static <V> Codec<List<V>> list(Class<V> element) {
        return list(of(element));
    }

    public static <V> Codec<List<V>> list(Codec<V> element) {
        return new ListCodec<>(element);
    }

    public static <V> Codec<Map<String, V>> map(Class<V> value) {
        return map(of(value));
    }

    public static <V> Codec<Map<String, V>> map(Codec<V> value) {
        return new MapCodec<>(value);
    }

    public static <V> Codec<Optional<V>> optional(Class<V> value) {
        return optional(of(value));
    }

    public static <V> Codec<Optional<V>> optional(Codec<V> value) {
        return new OptionalCodec<>(value);
    }

    /** Looked up once, at the first type that is not built in. */
    private static final class Providers {
        static final List<CodecProvider> FOUND =
                ServiceLoader.load(CodecProvider.class, Codecs.class.getClassLoader()).stream()
                        .map(ServiceLoader.Provider::get)
                        .toList();
    }

    private record Simple<V>(String fingerprint, Function<V, byte[]> encoding, Function<byte[], V> decoding)
            implements Codec<V> {
        @Override
        public byte[] encode(V value) {
            return encoding.apply(value);
        }

        @Override
        public V decode(byte[] bytes) {
            return decoding.apply(bytes);
        }
    }

    private record ListCodec<V>(Codec<V> element) implements Codec<List<V>> {
        @Override
        public byte[] encode(List<V> value) throws Exception {
            List<byte[]> parts = new ArrayList<>(value.size());
            for (V each : value) parts.add(element.encode(each));
            return join(parts);
        }

        @Override
        public List<V> decode(byte[] bytes) throws Exception {
            List<V> list = new ArrayList<>();
            for (byte[] part : split(bytes)) list.add(element.decode(part));
            return List.copyOf(list);
        }

        @Override
        public String fingerprint() {
            return "list(" + element.fingerprint() + ")";
        }
    }

    private record MapCodec<V>(Codec<V> value) implements Codec<Map<String, V>> {
        @Override
        public byte[] encode(Map<String, V> map) throws Exception {
            List<byte[]> parts = new ArrayList<>(2 * map.size());
            for (Map.Entry<String, V> entry : map.entrySet()) {
                parts.add(utf8(entry.getKey()));
                parts.add(value.encode(entry.getValue()));
            }
            return join(parts);
        }

        @Override
        public Map<String, V> decode(byte[] bytes) throws Exception {
            Map<String, V> map = new LinkedHashMap<>();
            List<byte[]> parts = split(bytes);
            if (parts.size() % 2 != 0) throw new IllegalArgumentException("a key without a value");
            for (int i = 0; i < parts.size(); i += 2) {
                map.put(new String(parts.get(i), StandardCharsets.UTF_8), value.decode(parts.get(i + 1)));
            }
            return java.util.Collections.unmodifiableMap(map);
        }

        @Override
        public String fingerprint() {
            return "map(" + value.fingerprint() + ")";
        }
    }

    private record OptionalCodec<V>(Codec<V> value) implements Codec<Optional<V>> {
        @Override
        public byte[] encode(Optional<V> optional) throws Exception {
            if (optional.isEmpty()) return new byte[0];
            byte[] inner = value.encode(optional.get());
            return ByteBuffer.allocate(1 + inner.length)
                    .put((byte) 1)
                    .put(inner)
                    .array();
        }

        @Override
        public Optional<V> decode(byte[] bytes) throws Exception {
            if (bytes.length == 0) return Optional.empty();
            if (bytes[0] != 1) throw new IllegalArgumentException("not an optional: it begins with " + bytes[0]);
            return Optional.of(value.decode(java.util.Arrays.copyOfRange(bytes, 1, bytes.length)));
        }

        @Override
        public String fingerprint() {
            return "optional(" + value.fingerprint() + ")";
        }
    }

    private static byte[] utf8(String text) {
        return Bytes.utf8(text).toArray();
    }

    private static Long counter(byte[] bytes) {
        return Counter.decode(Bytes.wrap(bytes)).orElseThrow(() -> new IllegalArgumentException("not a counter"));
    }

    private static Boolean flag(byte[] bytes) {
        return exactly(1, bytes).get() != 0;
    }

    private static ByteBuffer buffer(int size) {
        return ByteBuffer.allocate(size);
    }

    private static ByteBuffer exactly(int length, byte[] bytes) {
        if (bytes.length != length)
            throw new IllegalArgumentException(bytes.length + " bytes where " + length + " are due");
        return ByteBuffer.wrap(bytes);
    }

    private static byte[] join(List<byte[]> parts) {
        int size = parts.stream().mapToInt(part -> 4 + part.length).sum();
        ByteBuffer joined = ByteBuffer.allocate(size);
        parts.forEach(part -> joined.putInt(part.length).put(part));
        return joined.array();
    }

    private static List<byte[]> split(byte[] bytes) {
        List<byte[]> parts = new ArrayList<>();
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            int length = buffer.remaining() < 4 ? -1 : buffer.getInt();
            if (length < 0 || length > buffer.remaining())
                throw new IllegalArgumentException("a part of " + length + " bytes");
            byte[] part = new byte[length];
            buffer.get(part);
            parts.add(part);
        }
        return parts;
    }
}
