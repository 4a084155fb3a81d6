// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import dev.bellwether.testkit.model.ModelBackend;
import org.junit.jupiter.api.Nested;

/** The model passes every contract. */
final class ModelContractTest {
    private static BackendUnderTest model() {
        return BackendUnderTest.onManualTime(ModelBackend::new);
    }

    @Nested
    final class Entry extends EntryContract {
        @Override
        protected BackendUnderTest create() {
            return model();
        }
    }

    @Nested
    final class Commit extends CommitContract {
        @Override
        protected BackendUnderTest create() {
            return model();
        }
    }

    @Nested
    final class Range extends RangeContract {
        @Override
        protected BackendUnderTest create() {
            return model();
        }
    }

    @Nested
    final class Idempotence extends IdempotenceContract {
        @Override
        protected BackendUnderTest create() {
            return model();
        }
    }

    @Nested
    final class Lease extends LeaseContract {
        @Override
        protected BackendUnderTest create() {
            return model();
        }
    }

    @Nested
    final class Capacity extends CapacityContract {
        @Override
        protected BackendUnderTest create() {
            return model();
        }
    }

    @Nested
    final class Tenure extends TenureContract {
        @Override
        protected BackendUnderTest create() {
            return model();
        }
    }

    @Nested
    final class Line extends LineContract {
        @Override
        protected BackendUnderTest create() {
            return model();
        }
    }

    @Nested
    final class Queue extends QueueContract {
        @Override
        protected BackendUnderTest create() {
            return model();
        }
    }

    @Nested
    final class Delivery extends DeliveryContract {
        @Override
        protected BackendUnderTest create() {
            return model();
        }
    }

    @Nested
    final class Hint extends HintContract {
        @Override
        protected BackendUnderTest create() {
            return model();
        }
    }

    @Nested
    final class Lifecycle extends LifecycleContract {
        @Override
        protected BackendUnderTest create() {
            return model();
        }
    }
}
