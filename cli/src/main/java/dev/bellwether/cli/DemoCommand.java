// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import dev.bellwether.Bellwether;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** The main job, shown. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Shows the main job: a herd asks for one expensive value, one computes, all get it.")
final class DemoCommand implements Callable<Integer> {
    @ParentCommand
    private @Nullable Bw bw;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--callers", paramLabel = "N", description = "How many ask at once (50).")
    private int callers = 50;

    @Option(
            names = "--compute",
            paramLabel = "D",
            converter = Lengths.class,
            description = "How long computing takes (1s).")
    private Duration compute = Duration.ofSeconds(1);

    @Override
    public Integer call() throws InterruptedException {
        Bw bw = Objects.requireNonNull(this.bw);
        if (callers < 1 || callers > 10_000) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "--callers is " + callers + "; it must be 1 to 10000");
        }
        try (Bellwether bellwether = bw.open(builder -> builder)) {
            Herd.Report report = new Herd(bellwether, callers, compute).run();
            if (bw.json) {
                Map<String, Object> shown = new LinkedHashMap<>();
                shown.put("callers", callers);
                shown.put("processes", 1);
                shown.put("computes", report.computes());
                shown.put("failures", report.failures());
                shown.put("extraMillis", report.extraMillis());
                bw.terminal.json(shown);
            } else {
                report.lines(compute).forEach(bw.terminal::say);
            }
            return report.isAsPromised() ? ExitCode.DONE : ExitCode.DEFECT;
        }
    }
}
