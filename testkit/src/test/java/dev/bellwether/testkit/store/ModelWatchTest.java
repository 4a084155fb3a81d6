// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.store;

import dev.bellwether.testkit.contract.LockFixture;
import dev.bellwether.testkit.contract.WatchContract;

final class ModelWatchTest extends WatchContract {
    @Override
    protected LockFixture create() {
        return OnModel.manual();
    }
}
