// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.redis;

import dev.bellwether.time.Threads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A Redis or Valkey server of one's own: a child process on a free loopback port, with a directory of its own and no
 * persistence, killed at close and at the end of this JVM. Not thread-safe.
 */
public final class RedisServer implements AutoCloseable {
    /** On a loaded machine a start takes a second; beyond this something is wrong. */
    private static final int START_SECONDS = 30;

    private static final int KEPT_LINES = 40;

    private final Path program;
    private final Path directory;
    private final int port;
    private final List<String> options;
    private final Thread atExit;
    private Process process;

    private RedisServer(Path program, Path directory, int port, List<String> options) {
        this.program = program;
        this.directory = directory;
        this.port = port;
        this.options = options;
        this.process = launch();
        this.atExit = Threads.named("redis-killer").newThread(() -> process.destroyForcibly());
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Starts a server with further options in pairs, such as {@code "maxmemory", "10mb"}; returns once it serves. */
    public static RedisServer start(String... options) {
        return startOn(freePort(), options);
    }

    /** As {@link #start}, on a port that the caller knows to be free. */
    public static RedisServer startOn(int port, String... options) {
        if (options.length % 2 != 0) throw new IllegalArgumentException("options come in pairs of name and value");
        try {
            Path directory = Files.createTempDirectory("bellwether-redis");
            return new RedisServer(RedisBinary.find(), directory, port, List.of(options));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a directory for the server", e);
        }
    }

    /** A loopback port that was free a moment ago and whose cluster bus port (10,000 higher) exists. */
    static int freePort() {
        for (int attempt = 0; attempt < 200; attempt++) {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                int port = socket.getLocalPort();
                if (port < 55_000 && isFree(port + 10_000)) return port;
            } catch (IOException e) {
                throw new UncheckedIOException("no loopback port to be had", e);
            }
        }
        throw new IllegalStateException("no free loopback port below 55000 after 200 attempts");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort() == port;
        } catch (IOException taken) {
            return false;
        }
    }

    private Process launch() {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of("--port", "" + port, "--bind", "127.0.0.1", "--dir", directory.toString()));
        command.addAll(List.of("--save", "", "--appendonly", "no", "--daemonize", "no", "--loglevel", "notice"));
        command.addAll(List.of("--repl-diskless-sync-delay", "0"));
        for (int i = 0; i < options.size(); i += 2) {
            command.add("--" + options.get(i));
            command.add(options.get(i + 1));
        }
        return awaitReady(command);
    }

    private static Process awaitReady(List<String> command) {
        Process started;
        try {
            started = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command.get(0), e);
        }
        CompletableFuture<Void> ready = new CompletableFuture<>();
        Threads.named("redis-log").newThread(() -> drain(started, ready)).start();
        try {
            ready.get(START_SECONDS, TimeUnit.SECONDS);
            return started;
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            started.destroyForcibly();
            if (e instanceof InterruptedException) Thread.currentThread().interrupt();
            throw new IllegalStateException("the server did not become ready: " + command, e);
        }
    }

    private static void drain(Process server, CompletableFuture<Void> ready) {
        Deque<String> last = new ArrayDeque<>();
        try (BufferedReader lines = server.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.contains("eady to accept connections") || line.contains("Sentinel ID is"))
                    ready.complete(null);
                last.add(line);
                if (last.size() > KEPT_LINES) last.remove();
            }
        } catch (IOException killed) {
            last.add(killed.toString());
        }
        ready.completeExceptionally(new IllegalStateException("the server ended: " + String.join("\n", last)));
    }

    public int port() {
        return port;
    }

    public long pid() {
        return process.pid();
    }

    /** {@code redis://127.0.0.1:port}. */
    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** A plain connection to it, to look from outside. The caller closes it. */
    public RespClient client() {
        return RespClient.connect(port);
    }

    /** Ends the process at once, as a crash would; what it held is lost. */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Starts it again on the same port after a {@link #kill}, empty unless options make it persistent. */
    public void restart() {
        if (process.isAlive()) kill();
        process = launch();
    }

    /** Stops the process where it stands (SIGSTOP): its connections stay open and nothing answers. */
    public void freeze() {
        signal("STOP");
    }

    /** Lets a frozen process go on (SIGCONT). */
    public void thaw() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start();
            if (kill.waitFor() != 0) throw new IllegalStateException("kill -" + name + " failed");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send " + name, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while sending " + name, e);
        }
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) throw new IllegalStateException("still alive");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the server ended", e);
        }
    }

    /** Kills the process and removes its directory; idempotent. */
    @Override
    public void close() {
        kill();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException alreadyExiting) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + directory, e);
        }
    }
}
