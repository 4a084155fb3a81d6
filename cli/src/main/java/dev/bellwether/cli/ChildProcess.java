// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import dev.bellwether.time.Threads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A command that somebody runs through {@code bw}. */
final class ChildProcess {
    /** The system's number for a missing file, as JDKs up to 24 and from 25 on word it. */
    private static final Pattern NO_SUCH_FILE = Pattern.compile("error(=|: )2\\b");

    private ChildProcess() {}

    /** The command does not exist or may not be run. */
    static final class CannotStart extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final int code;

        CannotStart(String message, int code, Throwable cause) {
            super(message, cause);
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    static Process start(ProcessBuilder builder) {
        String command = builder.command().get(0);
        try {
            return builder.start();
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            boolean missing = NO_SUCH_FILE.matcher(message).find();
            throw new CannotStart(
                    missing
                            ? "there is no command '" + command + "'"
                            : "the command '" + command + "' cannot be run: " + message,
                    missing ? ExitCode.NOT_FOUND : ExitCode.NOT_EXECUTABLE,
                    e);
        }
    }

    /** Runs a command to its end and keeps all that it wrote. Interrupting ends the command. */
    static CommandResult capture(List<String> command, Map<String, String> environment) throws InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectInput(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        Process process = start(builder);
        ExecutorService readers = Threads.workers("child");
        try {
            CompletableFuture<byte[]> out =
                    CompletableFuture.supplyAsync(() -> everything(process.getInputStream()), readers);
            CompletableFuture<byte[]> err =
                    CompletableFuture.supplyAsync(() -> everything(process.getErrorStream()), readers);
            int code = process.waitFor();
            return new CommandResult(code, out.join(), err.join());
        } finally {
            end(process);
            readers.shutdownNow();
        }
    }

    private static byte[] everything(InputStream stream) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (stream) {
            stream.transferTo(all);
        } catch (IOException e) {
            throw new UncheckedIOException("the command's output cannot be read", e);
        }
        return all.toByteArray();
    }

    /** Asks the command to end, and makes it end after two seconds. */
    static void end(Process process) {
        if (!process.isAlive()) return;
        process.destroy();
        try {
            if (!process.waitFor(2, TimeUnit.SECONDS)) process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
