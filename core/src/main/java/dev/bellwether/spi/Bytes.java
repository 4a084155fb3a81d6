// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Immutable bytes, ordered as unsigned numbers from the left, a prefix before what it begins. */
public final class Bytes implements Comparable<Bytes> {
    public static final Bytes EMPTY = new Bytes(new byte[0]);

    private static final int SHOWN = 48;

    private final byte[] array;
    private int hash;

    private Bytes(byte[] array) {
        this.array = array;
    }

    /** A copy of the array. */
    public static Bytes of(byte... array) {
        return array.length == 0 ? EMPTY : new Bytes(array.clone());
    }

    /** The array itself, which the caller gives away and never changes again. */
    public static Bytes wrap(byte[] array) {
        return array.length == 0 ? EMPTY : new Bytes(array);
    }

    /**
     * The UTF-8 form of any Unicode string.
     *
     * @throws IllegalArgumentException if the string holds half of a surrogate pair, which UTF-8 cannot express and
     *     which would otherwise become another character in silence
     */
    public static Bytes utf8(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) return checkedUtf8(text);
        }
        return wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Bytes checkedUtf8(String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8
                    .newEncoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .encode(CharBuffer.wrap(text));
            byte[] array = new byte[encoded.remaining()];
            encoded.get(array);
            return wrap(array);
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "a string with an unpaired surrogate has no UTF-8 form; pass bytes or mend the string", e);
        }
    }

    public int length() {
        return array.length;
    }

    public boolean isEmpty() {
        return array.length == 0;
    }

    public byte at(int index) {
        return array[index];
    }

    /** A copy. */
    public byte[] toArray() {
        return array.clone();
    }

    /** A read-only view without a copy. */
    public ByteBuffer asBuffer() {
        return ByteBuffer.wrap(array).asReadOnlyBuffer();
    }

    /** These bytes followed by the others. */
    public Bytes plus(Bytes other) {
        byte[] both = Arrays.copyOf(array, array.length + other.array.length);
        System.arraycopy(other.array, 0, both, array.length, other.array.length);
        return wrap(both);
    }

    public boolean startsWith(Bytes prefix) {
        return prefix.array.length <= array.length
                && Arrays.equals(array, 0, prefix.array.length, prefix.array, 0, prefix.array.length);
    }

    /** Read as UTF-8, rubbish replaced. */
    public String utf8() {
        return new String(array, StandardCharsets.UTF_8);
    }

    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(array, other.array);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Bytes that && Arrays.equals(array, that.array);
    }

    @Override
    public int hashCode() {
        int known = hash; // a racing thread computes the same number: benign
        if (known == 0) hash = known = Arrays.hashCode(array);
        return known;
    }

    /** Printable ASCII as it stands, anything else in hexadecimal, long ones cut: for messages only. */
    @Override
    public String toString() {
        boolean printable = true;
        for (byte b : array) printable &= b >= 0x20 && b < 0x7f;
        int shown = Math.min(array.length, SHOWN);
        String text = printable
                ? new String(array, 0, shown, StandardCharsets.US_ASCII)
                : "0x" + HexFormat.of().formatHex(array, 0, shown);
        return shown == array.length ? text : text + "... (" + array.length + " bytes)";
    }
}
