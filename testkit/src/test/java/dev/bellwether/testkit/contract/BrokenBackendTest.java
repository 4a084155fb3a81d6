// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The contracts see what is broken: for each breach and each law that it breaks, a test of that law fails. */
final class BrokenBackendTest {
    private final Map<Law, List<Trial.ContractTest>> byLaw = Trial.testsByLaw();

    @TestFactory
    Stream<DynamicTest> aBackendThat() {
        return Breach.all().stream().map(breach -> DynamicTest.dynamicTest(breach.name(), () -> assertSeen(breach)));
    }

    private void assertSeen(Breach breach) {
        List<Trial.ContractTest> tests = breach.laws().stream()
                .flatMap(law -> byLaw.getOrDefault(law, List.of()).stream())
                .distinct()
                .toList();
        Set<String> failing = Trial.failing(tests, breach.alteration());
        for (Law law : breach.laws()) {
            assertThat(byLaw.getOrDefault(law, List.of()))
                    .as("a test of " + law + " that fails on a backend that " + breach.name())
                    .anyMatch(test -> failing.contains(test.name()));
        }
    }

    @Test
    void theModelItselfPassesWhatTheBrokenOnesFail() {
        assertThat(Trial.failing(Trial.tests(), Altered::new)).isEmpty();
    }
}
