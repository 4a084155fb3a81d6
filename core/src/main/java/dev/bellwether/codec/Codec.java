// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.codec;

import org.jspecify.annotations.Nullable;

/** Value to bytes and back. Stateless, thread-safe. Whatever it throws is reported with key and type. */
public interface Codec<V extends @Nullable Object> {
    byte[] encode(V value) throws Exception;

    V decode(byte[] bytes) throws Exception;

    /** Names format and shape; stored with each value, so that another shape reads as absent, not as rubbish. */
    String fingerprint();
}
