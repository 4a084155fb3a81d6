// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.redis;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds a server to start: the one named by BELLWETHER_REDIS, else on the PATH, else carried by the class path. */
final class RedisBinary {
    private static final String SETTING = "BELLWETHER_REDIS";

    /** The name of the program inside the artifact org.signal:embedded-redis. */
    private static final String CARRIED = "redis-server-7.0.15-";

    private RedisBinary() {}

    /** @throws IllegalStateException if there is none, naming the three remedies */
    static Path find() {
        String named = System.getenv(SETTING);
        if (named != null && !named.isEmpty()) return Path.of(named);
        Path installed = onPath();
        if (installed != null) return installed;
        Path carried = carried();
        if (carried != null) return carried;
        throw new IllegalStateException("no redis-server found; set " + SETTING
                + " to its path, install one on the PATH, or put org.signal:embedded-redis on the class path");
    }

    private static @Nullable Path onPath() {
        String path = System.getenv("PATH");
        if (path == null) return null;
        for (String directory : path.split(File.pathSeparator, -1)) {
            for (String name : new String[] {"redis-server", "valkey-server"}) {
                Path candidate = Path.of(directory.isEmpty() ? "." : directory, name);
                if (Files.isExecutable(candidate)) return candidate;
            }
        }
        return null;
    }

    private static @Nullable Path carried() {
        String name = CARRIED + system() + "-" + architecture();
        try (InputStream program = RedisBinary.class.getClassLoader().getResourceAsStream(name)) {
            if (program == null) return null;
            Path directory = Files.createTempDirectory("bellwether-redis");
            Path target = directory.resolve("redis-server");
            directory.toFile().deleteOnExit();
            Files.copy(program, target, StandardCopyOption.REPLACE_EXISTING);
            if (!target.toFile().setExecutable(true)) throw new IOException("cannot make executable: " + target);
            target.toFile().deleteOnExit();
            return target;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unpack " + name, e);
        }
    }

    private static String system() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
    }

    private static String architecture() {
        String name = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return name.equals("aarch64") ? "arm64" : "amd64";
    }
}
