// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.codec;

import java.util.Optional;

/** Brings codecs for types that core knows nothing of; found by {@link java.util.ServiceLoader}. */
public interface CodecProvider {
    /** A codec for the type, or empty if this provider has none. */
    <V> Optional<Codec<V>> find(Class<V> type);
}
