// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.benchmarks;

import dev.bellwether.memory.MemoryBackend;
import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Quiet;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** One cycle: a free lease is acquired by a fresh owner, and released. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Benchmark)
public class LeaseBenchmark {
    @Param({"1", "10000"})
    private int names;

    private final MemoryBackend backend = MemoryBackend.create();
    private LeaseName[] leases = new LeaseName[0];
    private long turn;

    @Setup
    public void name() {
        leases = new LeaseName[names];
        for (int i = 0; i < names; i++) leases[i] = LeaseName.of(Bytes.utf8("lease:" + i));
    }

    @TearDown
    public void close() {
        backend.close();
    }

    @Benchmark
    public CommitReply cycle() {
        LeaseName lease = leases[(int) (turn * 7_919 % names)];
        Owner owner = new Owner(1, turn++);
        Acquisition granted = backend.acquire(LeaseRequest.of(lease, owner, Duration.ofSeconds(30)))
                .toCompletableFuture()
                .join();
        if (!(granted instanceof Acquisition.Granted)) throw new IllegalStateException(granted.toString());
        return backend.commit(Commit.of(new LeaseMutation.Release(lease, owner, Quiet.NONE)))
                .toCompletableFuture()
                .join();
    }
}
