// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.store;

import dev.bellwether.testkit.contract.LockFixture;
import dev.bellwether.testkit.contract.TransactionContract;

final class ModelTransactionTest extends TransactionContract {
    @Override
    protected LockFixture create() {
        return OnModel.manual();
    }
}
