// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.testkit.contract.BackendUnderTest;
import dev.bellwether.testkit.contract.CapacityContract;
import dev.bellwether.testkit.contract.CommitContract;
import dev.bellwether.testkit.contract.DeliveryContract;
import dev.bellwether.testkit.contract.EntryContract;
import dev.bellwether.testkit.contract.HintContract;
import dev.bellwether.testkit.contract.IdempotenceContract;
import dev.bellwether.testkit.contract.LeaseContract;
import dev.bellwether.testkit.contract.LifecycleContract;
import dev.bellwether.testkit.contract.LineContract;
import dev.bellwether.testkit.contract.QueueContract;
import dev.bellwether.testkit.contract.RangeContract;
import dev.bellwether.testkit.contract.TenureContract;
import dev.bellwether.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Every contract of the SPI on one server. */
class RedisContractIT {
    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    static BackendUnderTest fresh() {
        return BackendUnderTest.onRealTime(RedisBackend.connect(server.uri()), Duration.ofMillis(100));
    }

    @Nested
    final class Entry extends EntryContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Commit extends CommitContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Range extends RangeContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Idempotence extends IdempotenceContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Lease extends LeaseContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Capacity extends CapacityContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Tenure extends TenureContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Line extends LineContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Queue extends QueueContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Delivery extends DeliveryContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Hint extends HintContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Lifecycle extends LifecycleContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }
}
