// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import dev.bellwether.Bellwether;
import dev.bellwether.memo.Memoizer;
import dev.bellwether.time.Threads;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Many callers, one expensive value. */
final class Herd {
    private final Memoizer<String, Long> answers;
    private final int callers;
    private final AtomicInteger computes = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicLong published = new AtomicLong();
    private volatile String leader = "nobody";

    /**
     * How it went.
     *
     * @param extraNanos of each caller, sorted: how long after the value was computed it had it
     */
    record Report(int callers, int computes, int failures, int values, String leader, List<Long> extraNanos) {
        boolean isAsPromised() {
            return computes == 1 && failures == 0 && values == 1;
        }

        Map<String, Double> extraMillis() {
            return Map.of("p50", millis(0.50), "p99", millis(0.99), "max", millis(1.0));
        }

        private double millis(double quantile) {
            if (extraNanos.isEmpty()) return Double.NaN;
            int index = (int) Math.ceil(quantile * extraNanos.size()) - 1;
            return Math.round(extraNanos.get(Math.max(0, index)) / 1_000.0) / 1_000.0;
        }

        List<String> lines(Duration compute) {
            return List.of(
                    callers + " callers ask for one value that takes " + compute.toMillis() + " ms to compute.",
                    "  computed:  " + computes + " time" + (computes == 1 ? "" : "s") + ", by " + leader,
                    "  answered:  " + (callers - failures) + " of " + callers + ", " + values + " distinct value"
                            + (values == 1 ? "" : "s"),
                    String.format(
                            Locale.ROOT,
                            "  each had it within %.1f ms (median), %.1f ms (99 of 100), %.1f ms (all) of its being computed",
                            millis(0.50),
                            millis(0.99),
                            millis(1.0)));
        }
    }

    Herd(Bellwether bellwether, int callers, Duration compute) {
        this.callers = callers;
        this.answers = bellwether
                .memoizer("demo", String.class, Long.class)
                .ttl(Duration.ofMinutes(1))
                .build(key -> {
                    computes.incrementAndGet();
                    leader = Thread.currentThread().getName();
                    CountDownLatch work = new CountDownLatch(1);
                    Timer.system().after(compute, work::countDown);
                    work.await();
                    published.set(System.nanoTime());
                    return published.get();
                });
    }

    Report run() throws InterruptedException {
        ThreadFactory threads = Threads.named("caller");
        CountDownLatch start = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(callers);
        List<Long> arrivals = new ArrayList<>();
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            threads.newThread(() -> {
                        try {
                            start.await();
                            long value = answers.get("the answer");
                            long arrival = System.nanoTime();
                            synchronized (arrivals) {
                                values.add(value);
                                arrivals.add(arrival);
                            }
                        } catch (InterruptedException | RuntimeException failure) {
                            failures.incrementAndGet();
                        } finally {
                            end.countDown();
                        }
                    })
                    .start();
        }
        start.countDown();
        end.await();
        List<Long> extra = arrivals.stream()
                .map(arrival -> arrival - published.get())
                .sorted()
                .toList();
        int distinct = (int) values.stream().distinct().count();
        return new Report(callers, computes.get(), failures.get(), distinct, leader, extra);
    }
}
