// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.queue;

import dev.bellwether.testkit.contract.BackendUnderTest;
import dev.bellwether.testkit.contract.QueueEngineContract;
import dev.bellwether.testkit.model.ModelBackend;

class ModelQueueEngineTest extends QueueEngineContract {
    @Override
    protected BackendUnderTest create() {
        return BackendUnderTest.onManualTime(ModelBackend::new);
    }
}
