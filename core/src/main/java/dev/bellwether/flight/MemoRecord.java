// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.flight;

import dev.bellwether.spi.Bytes;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A memoized value as it stands in the store: format, flags, shape of the payload, soft ttl, cost of the computation, the
 * epochs that it depends on, payload. Its age is the version of its entry, about the store's microseconds.
 */
record MemoRecord(boolean isNull, int fingerprint, long ttlMillis, int costMillis, List<Epoch> epochs, Bytes payload) {
    private static final byte FORMAT = 1;
    private static final byte NULL = 1;
    private static final int HEADER = 1 + 1 + 4 + 8 + 4 + 2;

    /** The version that an epoch entry, such as that of a tag, had when the value was computed. */
    record Epoch(Bytes name, long version) {}

    Bytes encode() {
        int size = HEADER + payload.length();
        for (Epoch epoch : epochs) size += 2 + epoch.name().length() + 8;
        ByteBuffer out = ByteBuffer.allocate(size);
        out.put(FORMAT)
                .put(isNull ? NULL : 0)
                .putInt(fingerprint)
                .putLong(ttlMillis)
                .putInt(costMillis);
        out.putShort((short) epochs.size());
        for (Epoch epoch : epochs) {
            out.putShort((short) epoch.name().length())
                    .put(epoch.name().asBuffer())
                    .putLong(epoch.version());
        }
        return Bytes.wrap(out.put(payload.asBuffer()).array());
    }

    /** Empty if the bytes are no record of this format: a later library's, or somebody else's. */
    static Optional<MemoRecord> decode(Bytes bytes) {
        ByteBuffer in = bytes.asBuffer();
        try {
            if (in.get() != FORMAT) return Optional.empty();
            boolean isNull = (in.get() & NULL) != 0;
            int fingerprint = in.getInt();
            long ttlMillis = in.getLong();
            int costMillis = in.getInt();
            int count = Short.toUnsignedInt(in.getShort());
            List<Epoch> epochs = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                epochs.add(new Epoch(take(in, Short.toUnsignedInt(in.getShort())), in.getLong()));
            }
            Bytes payload = take(in, in.remaining());
            return Optional.of(new MemoRecord(isNull, fingerprint, ttlMillis, costMillis, epochs, payload));
        } catch (BufferUnderflowException cut) {
            return Optional.empty();
        }
    }

    private static Bytes take(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return Bytes.wrap(bytes);
    }

    /** 32 bits of a codec's fingerprint: FNV-1a. */
    static int hash(String fingerprint) {
        int hash = 0x811C9DC5;
        for (byte b : fingerprint.getBytes(StandardCharsets.UTF_8)) hash = (hash ^ b) * 0x01000193;
        return hash;
    }
}
