// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.testkit.model.ModelBackend;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs contract tests on the model seen through an alteration, and tells which failed. */
final class Trial {
    /** The launcher makes the test classes, and runs them on the calling thread. */
    private static final ThreadLocal<UnaryOperator<KvBackend>> ALTERATION =
            ThreadLocal.withInitial(UnaryOperator::identity);

    private static final List<Class<? extends BackendContract>> CONTRACTS = List.of(
            Entries.class,
            Commits.class,
            Ranges.class,
            Idempotence.class,
            Leases.class,
            Capacities.class,
            Tenures.class,
            Lines.class,
            Queues.class,
            Deliveries.class,
            Hints.class,
            Lifecycle.class);

    private static final Launcher LAUNCHER = LauncherFactory.create();

    private Trial() {}

    /** One test of one contract. */
    record ContractTest(Class<?> candidate, Method method, List<Law> laws) {
        String name() {
            return method.getDeclaringClass().getSimpleName() + "." + method.getName();
        }
    }

    static List<ContractTest> tests() {
        List<ContractTest> tests = new ArrayList<>();
        for (Class<? extends BackendContract> candidate : CONTRACTS) {
            Method[] methods = candidate.getSuperclass().getDeclaredMethods();
            Arrays.sort(methods, Comparator.comparing(Method::getName));
            for (Method method : methods) {
                if (!method.isAnnotationPresent(Test.class)) continue;
                Proves proves = method.getAnnotation(Proves.class);
                tests.add(new ContractTest(candidate, method, proves == null ? List.of() : List.of(proves.value())));
            }
        }
        return tests;
    }

    static Map<Law, List<ContractTest>> testsByLaw() {
        Map<Law, List<ContractTest>> byLaw = new EnumMap<>(Law.class);
        for (ContractTest test : tests()) {
            for (Law law : test.laws())
                byLaw.computeIfAbsent(law, unused -> new ArrayList<>()).add(test);
        }
        return byLaw;
    }

    /** Those tests that failed, by name, with their messages. */
    static Map<String, String> failures(List<ContractTest> tests, UnaryOperator<KvBackend> alteration) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (ContractTest test : tests) {
            selectors.add(DiscoverySelectors.selectMethod(test.candidate(), test.method()));
        }
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .filters(EngineFilter.includeEngines("junit-jupiter"))
                .build();
        Outcomes outcomes = new Outcomes();
        ALTERATION.set(alteration);
        try {
            LAUNCHER.execute(request, outcomes);
        } finally {
            ALTERATION.remove();
        }
        if (outcomes.ran != tests.size()) {
            throw new IllegalStateException("of " + tests.size() + " tests " + outcomes.ran + " ran");
        }
        return outcomes.failures;
    }

    private static final class Outcomes implements TestExecutionListener {
        private final Map<String, String> failures = new TreeMap<>();
        private int ran;

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (!test.isTest()) return;
            ran++;
            if (result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) return;
            String message = result.getThrowable().map(Throwable::getMessage).orElse("");
            if (test.getSource().orElseThrow() instanceof MethodSource source) {
                Class<?> contract = source.getJavaMethod().getDeclaringClass();
                failures.put(contract.getSimpleName() + "." + source.getMethodName(), message);
            }
        }
    }

    private static BackendUnderTest altered() {
        UnaryOperator<KvBackend> alteration = ALTERATION.get();
        return BackendUnderTest.onManualTime(time -> alteration.apply(new ModelBackend(time)));
    }

    static final class Entries extends EntryContract {
        @Override
        protected BackendUnderTest create() {
            return altered();
        }
    }

    static final class Commits extends CommitContract {
        @Override
        protected BackendUnderTest create() {
            return altered();
        }
    }

    static final class Ranges extends RangeContract {
        @Override
        protected BackendUnderTest create() {
            return altered();
        }
    }

    static final class Idempotence extends IdempotenceContract {
        @Override
        protected BackendUnderTest create() {
            return altered();
        }
    }

    static final class Leases extends LeaseContract {
        @Override
        protected BackendUnderTest create() {
            return altered();
        }
    }

    static final class Capacities extends CapacityContract {
        @Override
        protected BackendUnderTest create() {
            return altered();
        }
    }

    static final class Tenures extends TenureContract {
        @Override
        protected BackendUnderTest create() {
            return altered();
        }
    }

    static final class Lines extends LineContract {
        @Override
        protected BackendUnderTest create() {
            return altered();
        }
    }

    static final class Queues extends QueueContract {
        @Override
        protected BackendUnderTest create() {
            return altered();
        }
    }

    static final class Deliveries extends DeliveryContract {
        @Override
        protected BackendUnderTest create() {
            return altered();
        }
    }

    static final class Hints extends HintContract {
        @Override
        protected BackendUnderTest create() {
            return altered();
        }
    }

    static final class Lifecycle extends LifecycleContract {
        @Override
        protected BackendUnderTest create() {
            return altered();
        }
    }
}
