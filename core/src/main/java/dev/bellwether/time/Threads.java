// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.time;

import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The one place that makes threads. */
public final class Threads {
    /** More platform threads than this never run user code at once; further tasks wait, bounded, for a free one. */
    private static final int MOST_WORKERS = 256;

    private static final int MOST_WAITING = 100_000;

    private Threads() {}

    /** Daemon threads named {@code bellwether-<role>-<n>}. */
    public static ThreadFactory named(String role) {
        AtomicLong counter = new AtomicLong();
        return task -> {
            Thread thread = new Thread(task, "bellwether-" + role + "-" + counter.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /**
     * Runs user code: a virtual thread for each task where the JDK has them (21 and later), else up to 256 platform
     * threads that end five seconds after their last task. Whoever asks for it shuts it down.
     */
    public static ExecutorService workers(String role) {
        try {
            ThreadFactory virtual = virtualThreads(role);
            return (ExecutorService) Executors.class
                    .getMethod("newThreadPerTaskExecutor", ThreadFactory.class)
                    .invoke(null, virtual);
        } catch (ReflectiveOperationException olderJdk) {
            return platformWorkers(role);
        }
    }

    private static ThreadFactory virtualThreads(String role) throws ReflectiveOperationException {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        builder = type.getMethod("name", String.class, long.class).invoke(builder, "bellwether-" + role + "-", 1L);
        ThreadFactory factory = (ThreadFactory) type.getMethod("factory").invoke(builder);
        if (factory == null) throw new InvocationTargetException(null, "no factory");
        return factory;
    }

    private static ExecutorService platformWorkers(String role) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                MOST_WORKERS,
                MOST_WORKERS,
                Duration.ofSeconds(5).toMillis(),
                TimeUnit.MILLISECONDS,
                new LinkedBlockingQueue<>(MOST_WAITING),
                named(role));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
