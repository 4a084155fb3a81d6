// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import dev.bellwether.codec.Codec;
import dev.bellwether.codec.CodecProvider;
import java.util.Optional;

/**
 * Codecs in JSON for records, sealed interfaces of records, enums, java.time, UUID, BigDecimal and BigInteger, and for
 * lists, sets, maps and optionals of these inside of records. Thread-safe.
 *
 * <p>A record is an object of its components, a case of a sealed interface has its simple name as {@code @type} besides.
 * Unknown properties are ignored, absent ones are null, zero or false. The fingerprint covers the names of records and
 * enums and the names and types of components, recursively, with all cases of sealed interfaces, but neither packages
 * nor the order of components nor the constants of enums.
 */
public final class JsonCodecProvider implements CodecProvider {
    public JsonCodecProvider() {}

    /**
     * @throws IllegalArgumentException if the type is a record, enum or sealed interface, but a part of it has no JSON form
     */
    @Override
    public <V> Optional<Codec<V>> find(Class<V> type) {
        boolean ours = type.isRecord() || type.isEnum() || (type.isSealed() && type.isInterface());
        if (!ours && !Scalars.has(type)) return Optional.empty();
        return Optional.of(new JsonCodec<>(type, new Shapes().of(type)));
    }
}
