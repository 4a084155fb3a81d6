// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.bellwether.codec.Codec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Values of one type as UTF-8 JSON. */
final class JsonCodec<V> implements Codec<V> {
    private static final int FINGERPRINT_BYTES = 8;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final Class<V> type;
    private final Shape shape;
    private final String fingerprint;

    JsonCodec(Class<V> type, Shape shape) {
        this.type = type;
        this.shape = shape;
        this.fingerprint = "json-" + digest(shape.describe());
    }

    private static String digest(String description) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(description.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, FINGERPRINT_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java runtime has SHA-256", e);
        }
    }

    @Override
    public byte[] encode(V value) throws IOException {
        try {
            return MAPPER.writeValueAsBytes(shape.write(value));
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("cannot write a " + type.getName() + ": " + e.getMessage(), e);
        }
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // the shape makes values of its type, and null where null was written
    public V decode(byte[] bytes) throws IOException {
        try {
            JsonNode node = MAPPER.readTree(bytes);
            if (node.isMissingNode()) throw new IllegalArgumentException("there is nothing to read");
            return (V) shape.read(node);
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("cannot read a " + type.getName() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String fingerprint() {
        return fingerprint;
    }
}
