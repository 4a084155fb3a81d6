// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.queue;

import dev.bellwether.testkit.contract.BackendUnderTest;
import dev.bellwether.testkit.contract.QueueEngineContract;
import dev.bellwether.testkit.model.ModelBackend;
import dev.bellwether.time.Timer;
import java.time.Duration;

/** The same with real threads and clocks, as a backend with a server runs it. */
class RealTimeQueueEngineTest extends QueueEngineContract {
    @Override
    protected BackendUnderTest create() {
        return BackendUnderTest.onRealTime(new ModelBackend(Timer.system()), Duration.ofMillis(100));
    }
}
