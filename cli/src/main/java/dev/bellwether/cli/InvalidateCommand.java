// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import dev.bellwether.Bellwether;
import dev.bellwether.time.Durations;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Forgets what {@code bw memo}, or any memoizer by tag, remembers. */
@Command(
        name = "invalidate",
        mixinStandardHelpOptions = true,
        description = "Forgets one key of bw memo, or everything in the namespace that carries a tag.")
final class InvalidateCommand implements Callable<Integer> {
    @ParentCommand
    private @Nullable Bw bw;

    @ArgGroup(exclusive = true, multiplicity = "1")
    private @Nullable What what;

    static final class What {
        @Option(names = "--key", paramLabel = "K", description = "The key given to bw memo.")
        private @Nullable String key;

        @Option(names = "--tag", paramLabel = "T", description = "A tag set by any memoizer of the namespace.")
        private @Nullable String tag;
    }

    @Override
    public Integer call() {
        Bw bw = Objects.requireNonNull(this.bw);
        What what = Objects.requireNonNull(this.what);
        try (Bellwether bellwether = bw.open(builder -> builder)) {
            if (what.tag != null) {
                bellwether.invalidateTag(what.tag);
            } else {
                bellwether
                        .memoizer("bw", String.class, CommandResult.CODEC)
                        .ttl(Duration.ofMillis(Durations.MAX_MILLIS))
                        .build(key -> {
                            throw new IllegalStateException("nothing is computed here");
                        })
                        .invalidate(Objects.requireNonNull(what.key));
            }
        }
        if (bw.json) bw.terminal.json(Map.of("invalidated", what.tag != null ? "tag " + what.tag : "key " + what.key));
        return ExitCode.DONE;
    }
}
