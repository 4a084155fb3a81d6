// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import dev.bellwether.Bellwether;
import dev.bellwether.error.BackendUnavailableException;
import dev.bellwether.error.LeaseLostException;
import dev.bellwether.error.OutcomeUnknownException;
import dev.bellwether.error.RejectedException;
import dev.bellwether.error.WaitTimeoutException;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The root command: what all commands share. */
@Command(
        name = "bw",
        mixinStandardHelpOptions = true,
        versionProvider = Bw.Version.class,
        description = "One leads, the herd follows: compute once, hold once, handle until done, from a shell.",
        subcommands = {DemoCommand.class, MemoCommand.class, InvalidateCommand.class, CommandLine.HelpCommand.class},
        footer = {
            "",
            "Lengths of time read 250ms, 10s, 5m, 1h30m. Exit codes: the child's own where there is a child;",
            "0 done, 2 wrong usage, 69 backend unavailable, 73 outcome unknown, 75 busy or timed out, 76 lease lost."
        })
final class Bw {
    @Option(
            names = "--backend",
            paramLabel = "URI",
            description = "Where the state lives: memory: (default, this process only) or redis://host:port.",
            defaultValue = "${env:BELLWETHER_BACKEND:-memory:}",
            scope = CommandLine.ScopeType.INHERIT)
    String backend = "memory:";

    @Option(
            names = "--namespace",
            paramLabel = "NS",
            description = "Separates applications on one backend (default: default).",
            defaultValue = "${env:BELLWETHER_NAMESPACE:-default}",
            scope = CommandLine.ScopeType.INHERIT)
    String namespace = "default";

    @Option(
            names = "--json",
            description = "One JSON object on standard output, and nothing else there.",
            scope = CommandLine.ScopeType.INHERIT)
    boolean json;

    @Option(names = "--verbose", description = "Stack traces with errors.", scope = CommandLine.ScopeType.INHERIT)
    boolean verbose;

    final Terminal terminal;

    Bw(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Runs one command line; returns its exit code, having written any error as one line. */
    static int run(Terminal terminal, String... args) {
        Bw bw = new Bw(terminal);
        CommandLine line = new CommandLine(bw);
        line.setOut(new java.io.PrintWriter(terminal.out(), true, java.nio.charset.StandardCharsets.UTF_8));
        line.setErr(new java.io.PrintWriter(terminal.err(), true, java.nio.charset.StandardCharsets.UTF_8));
        line.setParameterExceptionHandler((failure, given) -> bw.wrongUsage(failure));
        line.setExecutionExceptionHandler((failure, command, parsed) -> bw.failed(failure));
        line.setExecutionStrategy(bw::execute);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.getSubcommands().values().forEach(command -> command.setStopAtPositional(true));
        int code = line.execute(args);
        terminal.out().flush();
        terminal.err().flush();
        return code;
    }

    private int execute(ParseResult parsed) {
        if (!parsed.hasSubcommand() && !parsed.isUsageHelpRequested() && !parsed.isVersionHelpRequested()) {
            parsed.commandSpec().commandLine().usage(terminal.err());
            return ExitCode.USAGE;
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    /** The services that the general options name; whoever opens closes. */
    Bellwether open(java.util.function.UnaryOperator<Bellwether.Builder> more) {
        return more.apply(Bellwether.builder().owning(Backends.open(backend)).namespace(namespace))
                .build();
    }

    private int wrongUsage(ParameterException failure) {
        terminal.warn(oneLine(failure.getMessage()) + " (see bw help "
                + failure.getCommandLine().getCommandName().replace("bw", "").strip() + ")");
        return ExitCode.USAGE;
    }

    private int failed(Throwable failure) {
        terminal.warn(oneLine(failure.getMessage() == null ? failure.toString() : failure.getMessage()));
        if (verbose) failure.printStackTrace(terminal.err());
        return codeOf(failure);
    }

    static int codeOf(Throwable failure) {
        if (failure instanceof BackendUnavailableException || failure instanceof RejectedException) {
            return ExitCode.UNAVAILABLE;
        }
        if (failure instanceof OutcomeUnknownException) return ExitCode.UNKNOWN;
        if (failure instanceof WaitTimeoutException || failure instanceof CancellationException) return ExitCode.BUSY;
        if (failure instanceof LeaseLostException) return ExitCode.LOST;
        if (failure instanceof IllegalArgumentException) return ExitCode.USAGE;
        if (failure instanceof ChildProcess.CannotStart cannotStart) return cannotStart.code();
        return ExitCode.DEFECT;
    }

    private static String oneLine(@Nullable String message) {
        return String.join(" ", Arrays.asList(String.valueOf(message).split("\\s*\\R\\s*", -1)))
                .strip();
    }

    /** The version of the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Bw.class.getPackage().getImplementationVersion();
            return new String[] {"bw " + (version == null ? "(unpackaged)" : version)};
        }
    }
}
