// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Any reply as it comes: {@code byte[]}, {@code Long}, {@code null}, and lists of these. */
final class Reply extends CommandOutput<byte[], byte[], @Nullable Object> {
    private final Deque<List<@Nullable Object>> open = new ArrayDeque<>();

    @SuppressWarnings("NullAway") // the driver's own outputs begin with null as well
    Reply() {
        super(ByteArrayCodec.INSTANCE, null);
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        if (bytes == null) {
            put(null);
            return;
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        put(copy);
    }

    @Override
    public void set(long number) {
        put(number);
    }

    @Override
    public void set(double number) {
        put(Double.toString(number).getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void set(boolean value) {
        put(value ? 1L : 0L);
    }

    @Override
    public void multi(int count) {
        if (count < 0) {
            put(null);
            return;
        }
        List<@Nullable Object> list = new ArrayList<>(count);
        put(list);
        open.push(list);
    }

    @Override
    public void complete(int depth) {
        // The driver calls this after every element; a list ends when the depth falls below its own.
        while (open.size() > depth) open.pop();
    }

    private void put(@Nullable Object value) {
        List<@Nullable Object> list = open.peek();
        if (list == null) output = value;
        else list.add(value);
    }
}
