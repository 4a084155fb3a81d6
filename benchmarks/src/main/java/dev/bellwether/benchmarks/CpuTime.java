// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Processor time for each operation, of all threads of the process, the collector's included: what remains comparable on
 * a machine that others use at the same time. Run with {@code -prof dev.bellwether.benchmarks.CpuTime}.
 */
public final class CpuTime implements InternalProfiler {
    private final com.sun.management.OperatingSystemMXBean process =
            ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
    private long start;

    /** Made by JMH. */
    public CpuTime() {}

    @Override
    public String getDescription() {
        return "processor time for each operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        start = process.getProcessCpuTime();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double nanos = process.getProcessCpuTime() - start;
        long operations = result.getMetadata().getAllOps();
        return List.of(new ScalarResult("cpu", nanos / operations, "ns/op", AggregationPolicy.AVG));
    }
}
