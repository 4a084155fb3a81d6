// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.delivery;

import dev.bellwether.queue.Recurrence;
import dev.bellwether.spi.Bytes;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What lies around the user's bytes in the payload of a message.
 *
 * @param enqueuedMicros when it was enqueued, by the clock of the process that did
 * @param delayMillis how much later it was due
 * @param fingerprint of the codec that wrote the content
 * @param turn the occurrence of a recurring message that this is, or null
 */
record Wrapping(
        long enqueuedMicros,
        long delayMillis,
        String fingerprint,
        Map<String, String> headers,
        @Nullable Turn turn,
        Bytes content) {
    /*
     * Format 1 (docs/design/envelope.md)
     * ----------------------------------
     * version 1, flags 1, enqueued at 8, fingerprint; then what the flags announce: delay 8, headers, turn; the rest is
     * content. A text is its length in UTF-8 as a varint, then the UTF-8. A reader refuses a version or a flag that it
     * does not know: what it cannot read it must not lose.
     */
    private static final byte VERSION = 1;

    private static final int DELAY = 1;
    private static final int HEADERS = 2;
    private static final int TURN = 4;
    private static final int KNOWN = DELAY | HEADERS | TURN;

    /**
     * One occurrence of a schedule; its content and headers are those of the schedule's definition.
     *
     * @param atMicros the moment that the recurrence named
     */
    record Turn(String schedule, Recurrence recurrence, long atMicros) {}

    /** This occurrence with the message of its schedule. */
    Wrapping with(Wrapping definition) {
        return new Wrapping(
                enqueuedMicros, delayMillis, definition.fingerprint, definition.headers, turn, definition.content);
    }

    Bytes bytes() {
        ByteArrayOutputStream out = new ByteArrayOutputStream(32 + content.length());
        out.write(VERSION);
        out.write((delayMillis > 0 ? DELAY : 0) | (headers.isEmpty() ? 0 : HEADERS) | (turn == null ? 0 : TURN));
        writeLong(out, enqueuedMicros);
        writeText(out, fingerprint);
        if (delayMillis > 0) writeLong(out, delayMillis);
        if (!headers.isEmpty()) {
            writeNumber(out, headers.size());
            headers.forEach((name, value) -> {
                writeText(out, name);
                writeText(out, value);
            });
        }
        if (turn != null) {
            writeText(out, turn.schedule());
            writeText(out, turn.recurrence().toString());
            writeLong(out, turn.atMicros());
        }
        out.writeBytes(content.toArray());
        return Bytes.wrap(out.toByteArray());
    }

    /** @throws IllegalArgumentException if these bytes were not written by {@link #bytes}, or by a later version */
    static Wrapping read(Bytes bytes) {
        try {
            return read(bytes.asBuffer());
        } catch (BufferUnderflowException cut) {
            throw new IllegalArgumentException("the envelope ends too early", cut);
        }
    }

    private static Wrapping read(ByteBuffer in) {
        byte version = in.get();
        int flags = in.get() & 0xff;
        if (version != VERSION || (flags & ~KNOWN) != 0) {
            throw new IllegalArgumentException("the envelope has version " + version + " and flags " + flags
                    + "; this release reads version " + VERSION + " with flags up to " + KNOWN);
        }
        long enqueuedMicros = in.getLong();
        String fingerprint = readText(in);
        long delayMillis = (flags & DELAY) == 0 ? 0 : in.getLong();
        Map<String, String> headers = (flags & HEADERS) == 0 ? Map.of() : readHeaders(in);
        Turn turn = (flags & TURN) == 0 ? null : new Turn(readText(in), Recurrence.parse(readText(in)), in.getLong());
        byte[] content = new byte[in.remaining()];
        in.get(content);
        return new Wrapping(enqueuedMicros, delayMillis, fingerprint, headers, turn, Bytes.wrap(content));
    }

    private static Map<String, String> readHeaders(ByteBuffer in) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (int left = readNumber(in); left > 0; left--) {
            String name = readText(in);
            headers.put(name, readText(in));
        }
        return headers;
    }

    private static void writeLong(ByteArrayOutputStream out, long number) {
        out.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
    }

    private static void writeText(ByteArrayOutputStream out, String text) {
        byte[] utf8 = Bytes.utf8(text).toArray();
        writeNumber(out, utf8.length);
        out.writeBytes(utf8);
    }

    private static String readText(ByteBuffer in) {
        int length = readNumber(in);
        if (length < 0 || length > in.remaining()) throw new BufferUnderflowException();
        byte[] utf8 = new byte[length];
        in.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private static void writeNumber(ByteArrayOutputStream out, int number) {
        int rest = number;
        for (; rest > 0x7f; rest >>>= 7) out.write((rest & 0x7f) | 0x80);
        out.write(rest);
    }

    private static int readNumber(ByteBuffer in) {
        int number = 0;
        for (int shift = 0; shift < 32; shift += 7) {
            byte part = in.get();
            number |= (part & 0x7f) << shift;
            if (part >= 0) return number;
        }
        throw new IllegalArgumentException("a number of the envelope has more than five bytes");
    }
}
