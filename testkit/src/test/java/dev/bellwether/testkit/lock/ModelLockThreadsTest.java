// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.lock;

import dev.bellwether.testkit.contract.LockFixture;
import dev.bellwether.testkit.contract.LockThreadsContract;
import dev.bellwether.testkit.model.ModelBackend;
import dev.bellwether.time.Timer;

/** The locks over the definition of a store, on real threads and time. */
class ModelLockThreadsTest extends LockThreadsContract {
    @Override
    protected LockFixture create() {
        ModelBackend store = new ModelBackend(Timer.system());
        return LockFixture.onRealTime(store::another);
    }
}
