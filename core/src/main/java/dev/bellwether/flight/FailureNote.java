// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.error.LoadFailedException;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Quiet;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How a failed computation is told to other processes: left as the note of the released lease.
 *
 * @param token of the leader that failed: who waited for it shares the failure
 * @param forEverybody whether the failure counts for those who ask later, too
 */
record FailureNote(long token, boolean forEverybody, List<String> types, String message) {
    private static final byte FORMAT = 1;

    /** Leaves room for the names of eight classes within the store's limit for notes. */
    private static final int MOST_MESSAGE = 1_000;

    private static final int MOST_TYPES = 8;
    private static final int MOST_TYPE = 300;

    static FailureNote of(long token, boolean forEverybody, Throwable failure) {
        return new FailureNote(token, forEverybody, LoadFailedException.typesOf(failure), Failures.describe(failure));
    }

    Bytes encode() {
        ByteBuffer out = ByteBuffer.allocate(Quiet.MAX_NOTE);
        out.put(FORMAT).putLong(token).put((byte) (forEverybody ? 1 : 0));
        List<String> kept = types.subList(0, Math.min(MOST_TYPES, types.size()));
        out.put((byte) kept.size());
        for (String type : kept) put(out, type, MOST_TYPE);
        put(out, message, MOST_MESSAGE);
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return Bytes.wrap(bytes);
    }

    private static void put(ByteBuffer out, String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(most, bytes.length);
        out.putShort((short) length).put(bytes, 0, length);
    }

    /** Empty if the note is nobody's that this library knows. */
    static Optional<FailureNote> decode(Bytes note) {
        ByteBuffer in = note.asBuffer();
        try {
            if (in.get() != FORMAT) return Optional.empty();
            long token = in.getLong();
            boolean forEverybody = in.get() != 0;
            List<String> types = new ArrayList<>();
            for (int left = in.get(); left > 0; left--) types.add(text(in));
            return Optional.of(new FailureNote(token, forEverybody, List.copyOf(types), text(in)));
        } catch (BufferUnderflowException cut) {
            return Optional.empty();
        }
    }

    private static String text(ByteBuffer in) {
        byte[] bytes = new byte[Short.toUnsignedInt(in.getShort())];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
