// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

class HouseRulesTest {
    private static JavaClasses house() {
        return new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.bellwether");
    }

    @TestFactory
    Stream<DynamicTest> theHouseKeepsEachRule() {
        JavaClasses house = house();
        return HouseRules.all().entrySet().stream()
                .map(rule -> DynamicTest.dynamicTest(
                        rule.getKey(),
                        () -> rule.getValue().allowEmptyShould(true).check(house)));
    }

    @Test
    void theRulesLookAtAllModules() {
        JavaClasses house = house();
        for (String module : new String[] {"spi", "engine", "flight", "memory", "testkit", "cli"}) {
            assertThat(house.stream().anyMatch(type -> type.getPackageName().startsWith("dev.bellwether." + module)))
                    .as("classes of %s are looked at", module)
                    .isTrue();
        }
    }

    /** The rules are tested: a house with a breach of each must fail all of them. */
    @TestFactory
    Stream<DynamicTest> aPlantedBreachFailsEachRule(@TempDir Path folder) throws Exception {
        JavaClasses breaches = Breaches.compile(folder);
        return HouseRules.all().entrySet().stream()
                .map(rule -> DynamicTest.dynamicTest(
                        rule.getKey(),
                        () -> assertThat(rule.getValue()
                                        .allowEmptyShould(true)
                                        .evaluate(breaches)
                                        .hasViolation())
                                .as("the planted breach of '%s' is found", rule.getKey())
                                .isTrue()));
    }
}
