// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.testkit.model.RandomHistory;
import dev.bellwether.testkit.redis.RedisServer;
import dev.bellwether.testkit.redis.RespClient;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts answer what the model answers, on random histories of everything. */
class RedisHistoryIT {
    private static RedisServer server;
    private static RespClient outside;
    private static RedisBackend backend;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        outside = server.client();
        backend = RedisBackend.connect(server.uri());
    }

    @AfterAll
    static void stop() {
        backend.close();
        outside.close();
        server.close();
    }

    @BeforeEach
    void empty() {
        outside.call("FLUSHALL");
    }

    private static void pass(Duration length) {
        Deadline deadline = Deadline.after(Timer.system(), length);
        while (!deadline.isPast()) LockSupport.parkNanos(deadline.remainingNanos());
    }

    /** Short histories: the short lengths of a history must not run out between its pauses on a slow machine. */
    private static void compare(long seed, RandomHistory.Part part) {
        RandomHistory.of(seed).steps(90).only(part).compareRelaxed(backend, RedisHistoryIT::pass);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void entriesAnswerLikeTheModel(long seed) {
        compare(seed, RandomHistory.Part.ENTRIES);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void leasesAnswerLikeTheModel(long seed) {
        compare(seed, RandomHistory.Part.LEASES);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void queuesAnswerLikeTheModel(long seed) {
        compare(seed, RandomHistory.Part.QUEUES);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
    void everythingAnswersLikeTheModel(long seed) {
        RandomHistory.of(seed).steps(90).compareRelaxed(backend, RedisHistoryIT::pass);
    }
}
