// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Each law has a contract test and a breach that the test sees, and the page says which. */
final class CoverageTest {
    private static final Path PAGE = Path.of("..", "docs", "design", "contract-coverage.md");

    private final Map<Law, List<Trial.ContractTest>> byLaw = Trial.testsByLaw();

    private static List<Breach> breaches(Law law) {
        return Breach.all().stream()
                .filter(breach -> breach.laws().contains(law))
                .toList();
    }

    @Test
    void everyLawHasATestAndABreach() {
        for (Law law : Law.values()) {
            assertThat(byLaw.getOrDefault(law, List.of())).as("tests of " + law).isNotEmpty();
            assertThat(breaches(law)).as("breaches of " + law).isNotEmpty();
        }
    }

    @Test
    void everyContractTestProvesALaw() {
        assertThat(Trial.tests())
                .allSatisfy(test -> assertThat(test.laws()).as(test.name()).isNotEmpty());
    }

    @Test
    void breachesHaveNamesOfTheirOwn() {
        assertThat(Breach.all())
                .extracting(Breach::name)
                .doesNotHaveDuplicates()
                .hasSizeGreaterThanOrEqualTo(25);
    }

    @Test
    void thePageTellsTheCoverageAsItIs() throws IOException {
        String page = page();
        if (Boolean.getBoolean("coverage.write")) Files.writeString(PAGE, page);
        assertThat(Files.readString(PAGE))
                .as("write it anew with -Dtest=CoverageTest -Dcoverage.write=true")
                .isEqualTo(page);
    }

    private String page() {
        StringBuilder page = new StringBuilder("""
                # What the contracts cover

                Each line is one law, split where one part can be broken without the other, with the contract tests that prove it
                and the broken backends on which at least one of these tests fails. `CoverageTest` writes and checks this page;
                `BrokenBackendTest` runs the breaches. Tests are named by their class without `Contract`.

                """);
        page.append("| law | statement | contract tests | a backend that |\n|---|---|---|---|\n");
        for (Law law : Law.values()) {
            String tests = byLaw.getOrDefault(law, List.of()).stream()
                    .map(test -> "`" + test.name().replace("Contract.", ".") + "`")
                    .collect(Collectors.joining(", "));
            String broken = breaches(law).stream().map(Breach::name).collect(Collectors.joining("; "));
            page.append("| %s %s | %s | %s | %s |\n".formatted(law.number(), law, law.statement(), tests, broken));
        }
        return page.toString();
    }
}
