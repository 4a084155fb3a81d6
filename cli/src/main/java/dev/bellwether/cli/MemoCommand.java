// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import dev.bellwether.Bellwether;
import dev.bellwether.error.LoadFailedException;
import dev.bellwether.memo.Memoizer;
import dev.bellwether.observe.BellwetherListener;
import dev.bellwether.time.Backoff;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Runs a command at most once per ttl and replays it to everybody. */
@Command(
        name = "memo",
        mixinStandardHelpOptions = true,
        description = {
            "Runs CMD at most once per ttl across all hosts that share the backend;",
            "standard output, standard error and exit code are remembered and replayed to everybody.",
            "On memory: nothing outlives this process, so it only shows how the command works."
        })
final class MemoCommand implements Callable<Integer> {
    /** Exit codes of outcomes that are never worth remembering: killed by a signal. */
    private static final int FIRST_SIGNAL = 129;

    private enum Exhausted {
        FAIL,
        COMPUTE,
        STALE
    }

    @ParentCommand
    private @Nullable Bw bw;

    @Option(names = "--key", required = true, paramLabel = "K", description = "Names the result.")
    private String key = "";

    @Option(
            names = "--ttl",
            required = true,
            paramLabel = "D",
            converter = Lengths.class,
            description = "How long it is fresh.")
    private Duration ttl = Duration.ZERO;

    @Option(
            names = "--stale",
            paramLabel = "D",
            converter = Lengths.class,
            description =
                    "How long past the ttl it is replayed while one process renews it, and while CMD fails to start.")
    private Duration stale = Duration.ZERO;

    @Option(
            names = "--lease",
            paramLabel = "D",
            converter = Lengths.class,
            description = "How soon a dead leader is replaced (5s).")
    private Duration lease = Duration.ofSeconds(5);

    @Option(
            names = "--at-most",
            paramLabel = "D",
            converter = Lengths.class,
            description = "How long CMD may run before another host may start it (1h).")
    private Duration atMost = Duration.ofHours(1);

    @Option(
            names = "--wait",
            paramLabel = "D",
            converter = Lengths.class,
            description = "How long to wait for another host's CMD (30s).")
    private Duration wait = Duration.ofSeconds(30);

    @Option(
            names = "--on-exhausted",
            paramLabel = "WHAT",
            description = "What to do when that is over: ${COMPLETION-CANDIDATES} (stale).")
    private Exhausted onExhausted = Exhausted.STALE;

    @Option(
            names = "--backoff",
            paramLabel = "SPEC",
            converter = Backoffs.class,
            description =
                    "Look by this schedule instead of being woken: recipe, fixed:100ms, exponential:25ms,1s,jitter ...")
    private @Nullable Backoff backoff;

    @Option(names = "--discard-failures", description = "Remember only exit code 0.")
    private boolean discardFailures;

    @Option(names = "--force", description = "Run CMD even if a fresh result is there.")
    private boolean force;

    @Option(names = "--warm", description = "Make sure that a result is there, and print nothing.")
    private boolean warm;

    @Parameters(arity = "1..*", paramLabel = "-- CMD", description = "The command and its arguments.")
    private List<String> command = List.of();

    private volatile BellwetherListener.@Nullable Source source;

    @Override
    public Integer call() {
        Bw bw = java.util.Objects.requireNonNull(this.bw);
        BellwetherListener listener = new BellwetherListener() {
            @Override
            public void onGet(Get event) {
                source = event.source();
            }
        };
        try (Bellwether bellwether = bw.open(builder -> builder.listener(listener))) {
            Closing closing = Closing.atExitOf(bellwether);
            try {
                return run(bw, memoizer(bellwether));
            } finally {
                closing.close();
            }
        }
    }

    private Memoizer<String, CommandResult> memoizer(Bellwether bellwether) {
        Memoizer.Builder<String, CommandResult> builder = bellwether
                .memoizer("bw", String.class, CommandResult.CODEC)
                .ttl(ttl)
                .staleWhileRevalidate(stale)
                .staleIfError(stale)
                .lease(lease)
                .atMost(atMost)
                .maxWait(wait)
                .whenExhausted(Memoizer.Fallback.valueOf(onExhausted.name()))
                .nearCache(0);
        if (backoff != null) builder = builder.polling(backoff);
        return builder.buildWithContext((name, context) -> {
            CommandResult result = ChildProcess.capture(command, Map.of());
            boolean failed = result.exitCode() != 0;
            if ((failed && discardFailures) || result.exitCode() >= FIRST_SIGNAL) context.doNotStore();
            return result;
        });
    }

    private int run(Bw bw, Memoizer<String, CommandResult> memoizer) {
        CommandResult result;
        try {
            result = force ? memoizer.refresh(key) : memoizer.get(key);
        } catch (LoadFailedException failure) {
            if (failure.getCause() instanceof ChildProcess.CannotStart cannotStart) throw cannotStart;
            throw failure;
        }
        int code = warm ? ExitCode.DONE : show(bw, result);
        if (source == BellwetherListener.Source.STALE && !force) renew(bw, memoizer);
        return code;
    }

    private int show(Bw bw, CommandResult result) {
        if (!bw.json) return result.replay(bw.terminal);
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("key", key);
        shown.put("source", String.valueOf(source).toLowerCase(Locale.ROOT));
        shown.put("exitCode", result.exitCode());
        shown.put("stdout", new String(result.out(), StandardCharsets.UTF_8));
        shown.put("stderr", new String(result.err(), StandardCharsets.UTF_8));
        bw.terminal.json(shown);
        return result.exitCode();
    }

    /** The answer is out; the renewal that it started must not die with this process. */
    private void renew(Bw bw, Memoizer<String, CommandResult> memoizer) {
        bw.terminal.out().flush();
        try {
            memoizer.refresh(key);
        } catch (RuntimeException failure) {
            bw.terminal.warn("the stale result could not be renewed: " + failure.getMessage());
        }
    }
}
