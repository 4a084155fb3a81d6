// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BwTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int bw(String... args) {
        InputStream in = new ByteArrayInputStream(new byte[0]);
        return Bw.run(new Terminal(in, new PrintStream(out, true), new PrintStream(err, true)), args);
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private JsonNode json() throws Exception {
        assertThat(out().strip().lines()).as("one object, one line").hasSize(1);
        return new ObjectMapper().readTree(out());
    }

    @Test
    void theDemoComputesOnceForFiftyCallers() throws Exception {
        assertThat(bw("--json", "demo", "--compute", "200ms")).isZero();
        JsonNode shown = json();
        assertThat(shown.get("callers").asInt()).isEqualTo(50);
        assertThat(shown.get("computes").asInt()).isEqualTo(1);
        assertThat(shown.get("failures").asInt()).isZero();
        assertThat(shown.get("extraMillis").has("p99")).isTrue();
        assertThat(err()).isEmpty();
    }

    @Test
    void theDemoTellsAPersonWhoLedAndHowManyWereAnswered() {
        assertThat(bw("demo", "--callers", "3", "--compute", "10ms")).isZero();
        assertThat(out())
                .contains("computed:  1 time, by bellwether-caller-")
                .contains("answered:  3 of 3, 1 distinct value");
    }

    @Test
    void aCommandIsReplayedByteForByteWithItsExitCode() {
        int code = bw(
                "memo", "--key", "k", "--ttl", "1m", "--", "sh", "-c", "printf 'a\\000b\\377'; echo oops >&2; exit 3");
        assertThat(code).isEqualTo(3);
        assertThat(out.toByteArray()).isEqualTo(new byte[] {'a', 0, 'b', (byte) 255});
        assertThat(err()).isEqualTo("oops\n");
    }

    @Test
    void memoTellsInJsonWhatTheCommandDid() throws Exception {
        assertThat(bw("--json", "memo", "--key", "k", "--ttl", "1m", "--", "echo", "hello"))
                .isZero();
        assertThat(json().get("stdout").asText()).isEqualTo("hello\n");
        assertThat(json().get("source").asText()).isEqualTo("led");
    }

    @Test
    void warmingPrintsNothing() {
        assertThat(bw("memo", "--warm", "--key", "k", "--ttl", "1m", "--", "echo", "hello"))
                .isZero();
        assertThat(out()).isEmpty();
    }

    @Test
    void optionsOfTheCommandAreItsOwn(@TempDir Path folder) throws Exception {
        Path script = Files.writeString(folder.resolve("show"), "echo \"$@\"");
        assertThat(bw("memo", "--key", "k", "--ttl", "1m", "sh", script.toString(), "--ttl", "--json"))
                .isZero();
        assertThat(out()).isEqualTo("--ttl --json\n");
    }

    @Test
    void aMissingCommandIsNamed() {
        assertThat(bw("memo", "--key", "k", "--ttl", "1m", "--", "no-such-command-here"))
                .isEqualTo(127);
        assertThat(err()).isEqualTo("bw: there is no command 'no-such-command-here'\n");
    }

    @Test
    void anUnknownBackendIsWrongUsage() {
        assertThat(bw("--backend", "paper:", "demo")).isEqualTo(2);
        assertThat(err()).contains("there is no backend 'paper:'").doesNotContain("\tat ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "s", "-1s", "1.5s", "10 s", "99999999999999999999s", "5x"})
    void aLengthThatIsNoneIsRefusedInOneLine(String length) {
        assertThat(bw("memo", "--key", "k", "--ttl", length, "--", "true")).isEqualTo(2);
        assertThat(err().lines()).as(err()).hasSize(1);
        assertThat(err()).contains("--ttl").contains("10s");
    }

    @Test
    void withoutACommandTheUsageIsShown() {
        assertThat(bw()).isEqualTo(2);
        assertThat(err()).contains("Usage: bw");
    }

    @Test
    void helpAndVersionAreNoErrors() {
        assertThat(bw("--help")).isZero();
        assertThat(bw("--version")).isZero();
        assertThat(out()).contains("memo").contains("demo").contains("bw (");
    }

    @Test
    void aTagOrAKeyMustBeNamedToInvalidate() {
        assertThat(bw("invalidate")).isEqualTo(2);
        assertThat(bw("invalidate", "--key", "k")).isZero();
        assertThat(bw("invalidate", "--tag", "t")).isZero();
    }

    @Test
    void aSignalThatEndsBwEndsItsCommandAndLeavesNothing(@TempDir Path folder) throws Exception {
        Path mark = folder.resolve("child");
        Process bw = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.bellwether.cli.Main",
                        "memo",
                        "--key",
                        "k",
                        "--ttl",
                        "1m",
                        "--",
                        "sh",
                        "-c",
                        "echo $$ > '" + mark + ".tmp'; mv '" + mark + ".tmp' '" + mark + "'; exec sleep 60"))
                .start();
        try {
            org.awaitility.Awaitility.await().until(() -> Files.exists(mark));
            long child = Long.parseLong(Files.readString(mark).strip());
            bw.destroy();
            assertThat(bw.waitFor(10, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
            org.awaitility.Awaitility.await()
                    .until(() -> ProcessHandle.of(child)
                            .filter(ProcessHandle::isAlive)
                            .isEmpty());
        } finally {
            bw.destroyForcibly();
        }
    }
}
