// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.memory;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.testkit.ManualTime;
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
import dev.bellwether.testkit.contract.ListingContract;
import dev.bellwether.testkit.contract.LockContract;
import dev.bellwether.testkit.contract.LockFixture;
import dev.bellwether.testkit.contract.MemoizerContract;
import dev.bellwether.testkit.contract.QueueContract;
import dev.bellwether.testkit.contract.QueueEngineContract;
import dev.bellwether.testkit.contract.RangeContract;
import dev.bellwether.testkit.contract.StoreContract;
import dev.bellwether.testkit.contract.TenureContract;
import dev.bellwether.testkit.contract.TransactionContract;
import dev.bellwether.testkit.contract.WatchContract;
import java.util.function.Supplier;
import org.junit.jupiter.api.Nested;

/** Every contract of the SPI, and of the engines on top of it, within one JVM. */
class MemoryContractTest {
    private static BackendUnderTest fresh() {
        return BackendUnderTest.onManualTime(MemoryBackend::on);
    }

    private static LockFixture processes() {
        ManualTime time = new ManualTime();
        MemoryBackend store = MemoryBackend.on(time);
        Supplier<KvBackend> another = () -> new Lent(store);
        return LockFixture.onManualTime(time, another);
    }

    @Nested
    final class Capacitys extends CapacityContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Commits extends CommitContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Deliverys extends DeliveryContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Entrys extends EntryContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Hints extends HintContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Idempotences extends IdempotenceContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Leases extends LeaseContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Lifecycles extends LifecycleContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Lines extends LineContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Queues extends QueueContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Ranges extends RangeContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Tenures extends TenureContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Locks extends LockContract {
        @Override
        protected LockFixture create() {
            return processes();
        }
    }

    @Nested
    final class Stores extends StoreContract {
        @Override
        protected LockFixture create() {
            return processes();
        }
    }

    @Nested
    final class Transactions extends TransactionContract {
        @Override
        protected LockFixture create() {
            return processes();
        }
    }

    @Nested
    final class Watches extends WatchContract {
        @Override
        protected LockFixture create() {
            return processes();
        }
    }

    @Nested
    final class Listings extends ListingContract {
        @Override
        protected LockFixture create() {
            return processes();
        }
    }

    @Nested
    final class Workers extends QueueEngineContract {
        @Override
        protected BackendUnderTest create() {
            return fresh();
        }
    }

    @Nested
    final class Memoizers extends MemoizerContract {
        private final MemoryBackend store = MemoryBackend.create();

        @Override
        protected KvBackend connect() {
            return new Lent(store);
        }
    }
}
