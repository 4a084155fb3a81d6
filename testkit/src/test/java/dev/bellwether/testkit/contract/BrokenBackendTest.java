// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
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
        Map<String, String> failures = Trial.failures(tests, breach.alteration());
        for (Law law : breach.laws()) {
            assertThat(byLaw.getOrDefault(law, List.of()))
                    .as("a test of " + law + " that fails on a backend that " + breach.name())
                    .anyMatch(test -> failures.containsKey(test.name()));
        }
    }

    /** Without the large ones, which say nothing about this harness; {@link ModelContractTest} runs all. */
    @Test
    void anAlterationThatChangesNothingIsNotSeen() {
        List<Trial.ContractTest> tests = Trial.tests().stream()
                .filter(test -> !test.laws().contains(Law.SIZES))
                .toList();
        assertThat(Trial.failures(tests, Altered::new)).isEmpty();
    }

    @Test
    void aFailureTellsTheLawTheRequestAndTheReply() {
        Breach late = Breach.all().stream()
                .filter(breach -> breach.name().equals("expires a millisecond late"))
                .findFirst()
                .orElseThrow();
        String message = Trial.failures(byLaw.getOrDefault(Law.EXPIRY, List.of()), late.alteration())
                .get("EntryContract.anEntryIsAbsentFromExactlyItsTime");
        assertThat(message)
                .startsWith("law S3, an entry is present until its time has passed")
                .contains("> Keys[keys=[KvKey[", "< Reading[entries=[Present[");
    }
}
