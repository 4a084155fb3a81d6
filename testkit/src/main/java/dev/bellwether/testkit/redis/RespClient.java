// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.redis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The least that speaks to a server: one blocking connection to a loopback port, one command at a time. Shares no code
 * with any backend, so that tests can look at a store from outside. Not thread-safe.
 */
public final class RespClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 10_000;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private RespClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = new BufferedOutputStream(socket.getOutputStream());
    }

    public static RespClient connect(int port) {
        try {
            Socket socket = new Socket();
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.setTcpNoDelay(true);
            return new RespClient(socket);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot reach port " + port, e);
        }
    }

    /**
     * Sends one command; strings travel as ISO-8859-1, so that each char is a byte.
     *
     * @return String, Long, List or null
     * @throws IllegalStateException with the server's words if it answered with an error
     */
    public @Nullable Object call(String... words) {
        try {
            out.write(("*" + words.length + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            for (String word : words) {
                byte[] bytes = word.getBytes(StandardCharsets.ISO_8859_1);
                out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
                out.write(bytes);
                out.write('\r');
                out.write('\n');
            }
            out.flush();
            return reply();
        } catch (IOException e) {
            throw new UncheckedIOException("the server did not answer " + words[0], e);
        }
    }

    /** As {@link #call}, for commands that answer with text. */
    public String text(String... words) {
        return String.valueOf(call(words));
    }

    /** As {@link #call}, for commands that answer with a number. */
    public long number(String... words) {
        Object reply = call(words);
        if (reply instanceof Long number) return number;
        throw new IllegalStateException(words[0] + " answered " + reply);
    }

    private @Nullable Object reply() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case '-' -> throw new IllegalStateException(rest);
            case ':' -> Long.parseLong(rest);
            case '$' -> bulk(Integer.parseInt(rest));
            case '*' -> array(Integer.parseInt(rest));
            default -> throw new IOException("not RESP2: " + line);
        };
    }

    private @Nullable String bulk(int length) throws IOException {
        if (length < 0) return null;
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length || in.read() != '\r' || in.read() != '\n') throw new EOFException();
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private @Nullable List<@Nullable Object> array(int length) throws IOException {
        if (length < 0) return null;
        List<@Nullable Object> items = new ArrayList<>(length);
        for (int i = 0; i < length; i++) items.add(reply());
        return items;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\r'; b = in.read()) {
            if (b < 0) throw new EOFException();
            line.append((char) b);
        }
        if (in.read() != '\n' || line.isEmpty()) throw new EOFException();
        return line.toString();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close the connection", e);
        }
    }
}
