// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.lock;

import dev.bellwether.testkit.ManualTime;
import dev.bellwether.testkit.contract.LockContract;
import dev.bellwether.testkit.contract.LockFixture;
import dev.bellwether.testkit.model.ModelBackend;

/** The locks over the definition of a store, on time that the test moves. */
class ModelLocksTest extends LockContract {
    @Override
    protected LockFixture create() {
        ManualTime time = new ManualTime();
        ModelBackend store = new ModelBackend(time);
        return LockFixture.onManualTime(time, store::another);
    }
}
