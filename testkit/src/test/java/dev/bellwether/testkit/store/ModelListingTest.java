// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.store;

import dev.bellwether.testkit.contract.ListingContract;
import dev.bellwether.testkit.contract.LockFixture;

final class ModelListingTest extends ListingContract {
    @Override
    protected LockFixture create() {
        return OnModel.manual();
    }
}
