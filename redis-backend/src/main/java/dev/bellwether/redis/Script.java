// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Collectors;

/** The scripts, each in a file of its name; {@code --@include} puts another file in its place. */
enum Script {
    ACQUIRE("acquire"),
    RELEASE("release"),
    FILL("fill"),
    COMMIT("commit"),
    CLAIM("claim"),
    LOOK_LEASE("look-lease"),
    LOOK_QUEUE("look-queue"),
    LOOK_MESSAGES("look-messages");

    private static final String INCLUDE = "--@include ";

    private final String text;
    private final String digest;

    Script(String name) {
        text = withoutComments(read(name + ".lua"));
        digest = sha1(text);
    }

    byte[] text() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    String digest() {
        return digest;
    }

    private static String read(String file) {
        try (InputStream in = Script.class.getResourceAsStream(file)) {
            if (in == null) throw new IllegalStateException("the script " + file + " is missing from this build");
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.startsWith(INCLUDE) ? read(line.substring(INCLUDE.length())) : line)
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the script " + file, e);
        }
    }

    private static String withoutComments(String text) {
        return text.lines()
                .filter(line -> !line.startsWith("--") && !line.isBlank())
                .collect(Collectors.joining("\n"));
    }

    private static String sha1(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }
}
