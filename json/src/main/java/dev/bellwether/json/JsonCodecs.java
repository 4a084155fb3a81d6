// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.bellwether.codec.Codec;
import dev.bellwether.codec.CodecProvider;
import java.util.Optional;

/**
 * JSON for every class that has a JSON form: records, enums, collections and maps in them, {@code java.time}, and sealed
 * interfaces of records, whose cases are told apart by their simple name under {@code "@type"}. Only types that the
 * declared class names are ever made; data cannot name another. Thread-safe.
 */
public final class JsonCodecs implements CodecProvider {
    /** For {@link java.util.ServiceLoader}. */
    public JsonCodecs() {}

    @Override
    public <V> Optional<Codec<V>> find(Class<V> type) {
        return Optional.of(of(type));
    }

    /**
     * A codec for the class.
     *
     * @throws IllegalArgumentException if two cases of a sealed interface share a simple name
     */
    public static <V> Codec<V> of(Class<V> type) {
        ObjectMapper mapper = mapper();
        Shapes shapes = new Shapes();
        shapes.visit(type);
        shapes.sealedTypes().forEach(each -> mapper.addMixIn(each, Tagged.class));
        shapes.cases().forEach((name, found) -> mapper.registerSubtypes(new NamedType(found, name)));
        return new JsonCodec<>(mapper, mapper.constructType(type), "json:" + shapes.fingerprint());
    }

    private static ObjectMapper mapper() {
        return JsonMapper.builder()
                .addModule(new JavaTimeModule())
                .addModule(new Jdk8Module())
                .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .visibility(PropertyAccessor.FIELD, Visibility.ANY)
                .build();
    }

    /** How the cases of a sealed interface are told apart. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "@type")
    private interface Tagged {}

    private record JsonCodec<V>(ObjectMapper mapper, JavaType type, String fingerprint) implements Codec<V> {
        @Override
        public byte[] encode(V value) throws Exception {
            return mapper.writerFor(type).writeValueAsBytes(value);
        }

        @Override
        public V decode(byte[] bytes) throws Exception {
            V value = mapper.readValue(bytes, type);
            if (value == null)
                throw new IllegalArgumentException(
                        "null where a " + type.getRawClass().getName() + " is due");
            return value;
        }
    }
}
