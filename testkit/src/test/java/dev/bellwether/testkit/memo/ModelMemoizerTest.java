// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.memo;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.testkit.contract.MemoizerContract;
import dev.bellwether.testkit.model.ModelBackend;
import dev.bellwether.time.Timer;

/** The memoizer keeps its laws on the model, with real threads. */
class ModelMemoizerTest extends MemoizerContract {
    private final ModelBackend store = new ModelBackend(Timer.system());

    @Override
    protected KvBackend connect() {
        return store.another();
    }
}
