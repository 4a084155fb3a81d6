// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** How a 64-bit counter stands in a value: nine bytes, a mark and the number, most significant byte first. */
public final class Counter {
    private static final byte MARK = (byte) 0xC0;
    private static final int LENGTH = 9;

    private Counter() {}

    public static Bytes encode(long number) {
        return Bytes.wrap(ByteBuffer.allocate(LENGTH).put(MARK).putLong(number).array());
    }

    /** Empty if the value is no counter. */
    public static OptionalLong decode(Bytes value) {
        if (value.length() != LENGTH || value.at(0) != MARK) return OptionalLong.empty();
        return OptionalLong.of(value.asBuffer().getLong(1));
    }
}
