// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.benchmarks;

import dev.bellwether.memory.MemoryBackend;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.RequestId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The way of a message: enqueued, claimed, and acknowledged with the next claim. Counted in messages. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Benchmark)
public class QueueBenchmark {
    private static final int BATCH = 50;

    @Param({"0", "100000"})
    private int backlog;

    private final MemoryBackend backend = MemoryBackend.create();
    private final QueueName queue = QueueName.of(Bytes.utf8("queue"));
    private final Message message = Message.of(Bytes.wrap(new byte[100]));
    private List<QueueMutation.Settlement> finished = List.of();
    private long turn;

    @Setup
    public void fill() {
        for (int i = 0; i < backlog / BATCH; i++) enqueue(BATCH);
    }

    @TearDown
    public void close() {
        backend.close();
    }

    @Benchmark
    public Claim one() {
        return cycle(1);
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public Claim batchOf50() {
        return cycle(BATCH);
    }

    private Claim cycle(int messages) {
        enqueue(messages);
        ClaimRequest request = new ClaimRequest(
                queue, new RequestId(1, turn++), finished, messages, Duration.ofSeconds(30), Duration.ZERO);
        Claim claim = backend.claim(request).toCompletableFuture().join();
        if (claim.handouts().size() != messages) throw new IllegalStateException(claim.toString());
        finished = new ArrayList<>(messages);
        for (Claim.Handout handout : claim.handouts()) finished.add(new QueueMutation.Ack(handout.receipt()));
        return claim;
    }

    private void enqueue(int messages) {
        QueueMutation.Enqueue enqueue = new QueueMutation.Enqueue(
                queue, Collections.nCopies(messages, message), QueueMutation.Enqueue.UNBOUNDED);
        CommitReply reply =
                backend.commit(Commit.of(enqueue)).toCompletableFuture().join();
        if (!(reply instanceof CommitReply.Committed)) throw new IllegalStateException(reply.toString());
    }
}
