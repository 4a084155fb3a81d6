// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.house;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;

/** The dependencies and habits that must never exist, by name. */
final class HouseRules {
    /** What every package may stand on. */
    private static final String[] FLOORS = {
        "java..", "org.jspecify..", "dev.bellwether.time..", "dev.bellwether.error.."
    };

    private static final String[] FEATURES = {
        "dev.bellwether.memo..",
        "dev.bellwether.flight..",
        "dev.bellwether.lock..",
        "dev.bellwether.queue..",
        "dev.bellwether.delivery..",
        "dev.bellwether.store.."
    };

    private HouseRules() {}

    static Map<String, ArchRule> all() {
        Map<String, ArchRule> rules = new LinkedHashMap<>();
        rules.put(
                "no cycles", slices().matching("dev.bellwether.(*)..").should().beFreeOfCycles());
        rules.put(
                "facade on top",
                noClasses()
                        .that()
                        .resideInAnyPackage("dev.bellwether.*..")
                        .and()
                        .resideOutsideOfPackages(
                                "dev.bellwether.cli..", "dev.bellwether.testkit..", "dev.bellwether.benchmarks..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("dev.bellwether"));
        rules.put("spi is a floor", onlyOn("dev.bellwether.spi..", "dev.bellwether.spi.."));
        rules.put("time is a floor", onlyOn("dev.bellwether.time..", "dev.bellwether.time.."));
        rules.put("errors are a floor", onlyOn("dev.bellwether.error..", "dev.bellwether.error.."));
        rules.put(
                "no driver outside the Redis backend",
                noClasses()
                        .that()
                        .resideOutsideOfPackages(
                                "dev.bellwether.redis..",
                                "dev.bellwether.testkit.redis..",
                                "dev.bellwether.benchmarks..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(
                                "io.lettuce..", "io.netty..", "reactor..", "redis.clients..", "org.redisson.."));
        rules.put("the memoizer knows no queue", none("dev.bellwether.memo..", "dev.bellwether.queue.."));
        rules.put("the memoizer's engine knows no queue", none("dev.bellwether.flight..", "dev.bellwether.queue.."));
        rules.put("the queue knows no memoizer", none("dev.bellwether.queue..", "dev.bellwether.memo.."));
        rules.put("the lock knows no memoizer", none("dev.bellwether.lock..", "dev.bellwether.memo.."));
        rules.put("the lock knows no queue", none("dev.bellwether.lock..", "dev.bellwether.queue.."));
        rules.put(
                "backends know no feature",
                noClasses()
                        .that()
                        .resideInAnyPackage("dev.bellwether.memory..", "dev.bellwether.redis..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(FEATURES)
                        .allowEmptyShould(true));
        rules.put("backends are siblings", none("dev.bellwether.memory..", "dev.bellwether.redis.."));
        rules.put("the testkit names no backend", none("dev.bellwether.testkit..", "dev.bellwether.memory.."));
        rules.put("no wall clock and no sleeping outside time", noWallClock());
        rules.put("threads from one place", oneThreadFactory());
        rules.put(
                "Resilience4j only in guard",
                noClasses()
                        .that()
                        .resideOutsideOfPackages("dev.bellwether.guard..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("io.github.resilience4j.."));
        rules.put(
                "Caffeine only in the near cache, the epochs and the backends",
                noClasses()
                        .that()
                        .resideOutsideOfPackages(
                                "dev.bellwether.memory..", "dev.bellwether.redis..", "dev.bellwether.benchmarks..")
                        .and(not(nameMatching("dev\\.bellwether\\.flight\\.(NearCache|Epochs)(\\$.*)?")))
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("com.github.benmanes.."));
        rules.put("no foreign types in public signatures", noForeignSignatures());
        rules.put(
                "names carry meaning",
                noClasses().should().haveNameMatching(".*(Impl|Utils?|Helper|Manager|Base|Info|Data)(\\$.*)?"));
        rules.put(
                "no public Default classes",
                noClasses().that().arePublic().should().haveSimpleNameStartingWith("Default"));
        rules.put(
                "static fields are final",
                fields().that()
                        .areStatic()
                        .and()
                        .areDeclaredInClassesThat()
                        .resideInAPackage("dev.bellwether..")
                        .should()
                        .beFinal());
        rules.put(
                "no synchronized methods",
                noMethods()
                        .that()
                        .areDeclaredInClassesThat(resideInAnyPackage("dev.bellwether..")
                                .and(not(resideInAPackage("dev.bellwether.testkit.."))))
                        .should()
                        .haveModifier(JavaModifier.SYNCHRONIZED));
        rules.put(
                "only main ends the process",
                noClasses()
                        .that(not(nameMatching("dev\\.bellwether\\.(cli\\.Main|testkit\\.redis\\.RedisBinary)")))
                        .should()
                        .callMethod(System.class, "exit", int.class)
                        .orShould()
                        .callMethod(System.class, "getProperty", String.class));
        rules.put(
                "nothing is serializable but failures",
                noClasses()
                        .that()
                        .areNotAssignableTo(Throwable.class)
                        .and()
                        .areNotEnums()
                        .and()
                        .areNotAnonymousClasses()
                        .should()
                        .implement(java.io.Serializable.class));
        return rules;
    }

    private static ArchRule onlyOn(String subject, String own) {
        String[] allowed = new String[FLOORS.length + 1];
        System.arraycopy(FLOORS, 0, allowed, 0, FLOORS.length);
        allowed[FLOORS.length] = own;
        return classes()
                .that()
                .resideInAPackage(subject)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed);
    }

    private static ArchRule none(String subject, String object) {
        return noClasses()
                .that()
                .resideInAPackage(subject)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(object)
                .allowEmptyShould(true);
    }

    private static ArchRule noWallClock() {
        DescribedPredicate<JavaMethodCall> banned =
                DescribedPredicate.describe("reads the wall clock or sleeps", call -> {
                    String owner = call.getTargetOwner().getName();
                    String name = call.getName();
                    return (owner.equals("java.lang.System") && name.equals("currentTimeMillis"))
                            || (owner.equals("java.lang.Thread") && name.equals("sleep"))
                            || (owner.equals("java.util.concurrent.TimeUnit") && name.equals("sleep"))
                            || (owner.equals(Instant.class.getName()) && name.equals("now"))
                            || (owner.equals(Clock.class.getName()) && name.startsWith("system"))
                            || (owner.startsWith("java.time.Local") && name.equals("now"));
                });
        return noClasses()
                .that()
                .resideOutsideOfPackages("dev.bellwether.time..", "dev.bellwether.benchmarks..")
                .should()
                .callMethodWhere(banned);
    }

    private static ArchRule oneThreadFactory() {
        DescribedPredicate<JavaMethodCall> banned =
                DescribedPredicate.describe("makes threads or uses the common pool", call -> {
                    String owner = call.getTargetOwner().getName();
                    String name = call.getName();
                    boolean pools = owner.equals(Executors.class.getName()) && name.startsWith("new");
                    boolean common = owner.equals(ForkJoinPool.class.getName()) && name.equals("commonPool");
                    boolean onCommon = owner.equals(CompletableFuture.class.getName())
                            && name.endsWith("Async")
                            && call.getTarget().getRawParameterTypes().stream()
                                    .noneMatch(type -> type.getName().equals("java.util.concurrent.Executor"));
                    return pools || common || onCommon;
                });
        return noClasses()
                .that(DescribedPredicate.and(
                        not(nameMatching("dev\\.bellwether\\.time\\.(Threads|SystemTimer)(\\$.*)?")),
                        not(resideInAnyPackage("dev.bellwether.benchmarks..", "dev.bellwether.testkit.contract.."))))
                .should()
                .callMethodWhere(banned)
                .orShould()
                .callConstructorWhere(DescribedPredicate.describe(
                        "makes a thread", call -> call.getTargetOwner().isEquivalentTo(Thread.class)));
    }

    private static ArchRule noForeignSignatures() {
        return methods()
                .that()
                .arePublic()
                .and()
                .areDeclaredInClassesThat()
                .arePublic()
                .and()
                .areDeclaredInClassesThat(resideInAnyPackage(
                        "dev.bellwether",
                        "dev.bellwether.memo..",
                        "dev.bellwether.lock..",
                        "dev.bellwether.queue..",
                        "dev.bellwether.store..",
                        "dev.bellwether.spi..",
                        "dev.bellwether.codec..",
                        "dev.bellwether.observe..",
                        "dev.bellwether.time..",
                        "dev.bellwether.error..",
                        "dev.bellwether.guard.."))
                .should()
                .haveRawParameterTypes(DescribedPredicate.describe(
                        "types of the JDK or ours", types -> types.stream().allMatch(HouseRules::isOurs)))
                .andShould()
                .haveRawReturnType(DescribedPredicate.describe("a type of the JDK or ours", HouseRules::isOurs));
    }

    private static boolean isOurs(JavaClass type) {
        String name = type.getBaseComponentType().getName();
        return type.getBaseComponentType().isPrimitive()
                || name.startsWith("java.")
                || name.startsWith("dev.bellwether.");
    }
}
