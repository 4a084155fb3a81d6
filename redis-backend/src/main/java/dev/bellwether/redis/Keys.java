// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Place;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.RequestId;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** How names become keys, and back: {@code bw:<kind>{<partition>}<name>}, the name left out where it is the partition. */
final class Keys {
    static final String ENTRY = "v";
    static final String HOLDS = "x";
    static final String LINE = "l";
    static final String COUNTER = "f";
    static final String TICKETS = "t";
    static final String REQUEST = "m";

    /** Followed by a letter of shared-queue.lua. */
    static final String QUEUE = "q";

    private static final byte[] PREFIX = {'b', 'w', ':'};
    private static final String HEX = "0123456789ABCDEF";

    private Keys() {}

    static byte[] of(String kind, Place place) {
        Bytes tag = place.partition().tag();
        ByteArrayOutputStream key = begin(kind, tag, place.name().length());
        if (!place.name().equals(tag)) escape(place.name(), key);
        return key.toByteArray();
    }

    static byte[] request(Partition partition, RequestId id) {
        ByteArrayOutputStream key = begin(REQUEST, partition.tag(), 32);
        key.writeBytes(hex(id.process()));
        key.writeBytes(hex(id.counter()));
        return key.toByteArray();
    }

    /** Where the last claim of one consumer of a queue is remembered. */
    static byte[] lastClaim(QueueName queue, long consumer) {
        ByteArrayOutputStream key =
                begin(QUEUE + "c", queue.partition().tag(), 16 + queue.name().length());
        key.writeBytes(hex(consumer));
        if (!queue.name().equals(queue.partition().tag())) escape(queue.name(), key);
        return key.toByteArray();
    }

    static byte[] hex(long number) {
        return String.format("%016x", number).getBytes(StandardCharsets.ISO_8859_1);
    }

    static byte[] owner(Owner owner) {
        return ByteBuffer.allocate(16)
                .putLong(owner.process())
                .putLong(owner.counter())
                .array();
    }

    static Owner owner(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Owner(buffer.getLong(), buffer.getLong());
    }

    private static ByteArrayOutputStream begin(String kind, Bytes tag, int more) {
        ByteArrayOutputStream key = new ByteArrayOutputStream(8 + tag.length() + more);
        key.writeBytes(PREFIX);
        for (int i = 0; i < kind.length(); i++) key.write(kind.charAt(i));
        key.write('{');
        escape(tag, key);
        key.write('}');
        return key;
    }

    private static void escape(Bytes name, ByteArrayOutputStream key) {
        for (int i = 0; i < name.length(); i++) {
            int b = name.at(i) & 0xff;
            if (b > 0x20 && b < 0x7f && b != '%' && b != '{' && b != '}') {
                key.write(b);
            } else {
                key.write('%');
                key.write(HEX.charAt(b >> 4));
                key.write(HEX.charAt(b & 15));
            }
        }
    }

    /** What a key stands for. */
    record Parsed(String kind, Partition partition, Bytes name) {
        KvKey entry() {
            return new KvKey(partition, name);
        }

        LeaseName lease() {
            return new LeaseName(partition, name);
        }

        QueueName queue() {
            return new QueueName(partition, name);
        }
    }

    /** Null for keys that are not ours. */
    static @Nullable Parsed parse(byte[] key) {
        int open = find(key, '{', PREFIX.length);
        int close = open < 0 ? -1 : find(key, '}', open);
        if (close < 0 || key[0] != 'b' || key[1] != 'w' || key[2] != ':') return null;
        String kind = new String(key, PREFIX.length, open - PREFIX.length, StandardCharsets.ISO_8859_1);
        Bytes tag = unescape(key, open + 1, close);
        Bytes name = close + 1 == key.length ? tag : unescape(key, close + 1, key.length);
        return tag.isEmpty() || name.isEmpty() ? null : new Parsed(kind, new Partition(tag), name);
    }

    private static int find(byte[] key, char wanted, int from) {
        for (int i = from; i < key.length; i++) if (key[i] == wanted) return i;
        return -1;
    }

    private static Bytes unescape(byte[] key, int from, int to) {
        ByteArrayOutputStream name = new ByteArrayOutputStream(to - from);
        for (int i = from; i < to; i++) {
            if (key[i] == '%' && i + 2 < to) {
                name.write(Character.digit(key[i + 1], 16) << 4 | Character.digit(key[i + 2], 16));
                i += 2;
            } else {
                name.write(key[i]);
            }
        }
        return Bytes.wrap(name.toByteArray());
    }
}
