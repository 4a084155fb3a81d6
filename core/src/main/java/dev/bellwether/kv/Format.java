// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.codec.Codec;
import dev.bellwether.error.BellwetherException;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Counter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;

/** How a store writes its values: a byte for the format, four for the codec's fingerprint, then the codec's bytes. */
final class Format<V> {
    /*
     * Longs stand as the SPI's counters, without a header, so that the store can add to them. A counter begins with
     * another byte than FORMAT, so the two are never taken for each other.
     */
    private static final byte FORMAT = 1;
    private static final int HEADER = 5;
    private static final String COUNTERS = "i64";

    private final String store;
    private final Codec<V> codec;
    private final byte[] header;
    private final boolean counters;
    private final LongAdder unreadable = new LongAdder();

    Format(String store, Codec<V> codec) {
        this.store = store;
        this.codec = codec;
        this.counters = codec.fingerprint().equals(COUNTERS);
        this.header = header(codec.fingerprint());
    }

    private static byte[] header(String fingerprint) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(fingerprint.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.allocate(HEADER)
                    .put(FORMAT)
                    .put(digest, 0, HEADER - 1)
                    .array();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java runtime has SHA-256", e);
        }
    }

    boolean isCounters() {
        return counters;
    }

    /** How many values of another shape were met. */
    long unreadable() {
        return unreadable.sum();
    }

    /** @throws IllegalArgumentException naming the key, if the codec refuses the value */
    Bytes encode(Object key, V value) {
        Objects.requireNonNull(
                value, () -> "store " + store + " keeps no null under " + key + "; delete it, or use Codecs.optional");
        byte[] body;
        try {
            body = codec.encode(value);
        } catch (Exception e) {
            throw new IllegalArgumentException(
                    "store " + store + ", key " + key + ": a "
                            + value.getClass().getName() + " cannot be encoded",
                    e);
        }
        if (counters) return Bytes.wrap(body);
        return Bytes.wrap(
                ByteBuffer.allocate(HEADER + body.length).put(header).put(body).array());
    }

    /** Whether these bytes are of this format and fingerprint; counts those that are not. */
    boolean reads(Bytes bytes) {
        boolean fits = counters ? Counter.decode(bytes).isPresent() : bytes.startsWith(Bytes.wrap(header));
        if (!fits) unreadable.increment();
        return fits;
    }

    /** @throws BellwetherException naming the key and the type, if the codec refuses the bytes */
    V decode(Object key, Bytes bytes) {
        byte[] body = new byte[bytes.length() - (counters ? 0 : HEADER)];
        bytes.asBuffer().get(counters ? 0 : HEADER, body);
        try {
            return Objects.requireNonNull(codec.decode(body), "the codec made null of it");
        } catch (Exception e) {
            throw new BellwetherException(
                    "store " + store + ", key " + key + ": " + body.length + " bytes do not decode as "
                            + codec.fingerprint(),
                    e);
        }
    }

    static OptionalLong number(Bytes bytes) {
        return Counter.decode(bytes);
    }
}
