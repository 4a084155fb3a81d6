// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.store;

import dev.bellwether.spi.KvBackend;
import dev.bellwether.testkit.ManualTime;
import dev.bellwether.testkit.contract.LockFixture;
import dev.bellwether.testkit.model.ModelBackend;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;

/** Stores of the model, each process with a connection of its own. */
final class OnModel {
    private OnModel() {}

    static LockFixture manual() {
        ManualTime time = new ManualTime();
        ModelBackend first = new ModelBackend(time);
        return new LockFixture() {
            @Override
            public KvBackend connect() {
                return first.another();
            }

            @Override
            public Timer timer() {
                return time;
            }

            @Override
            public Executor executor() {
                return time;
            }

            @Override
            public void pass(Duration length) {
                time.advance(length);
            }

            @Override
            public boolean isReal() {
                return false;
            }

            @Override
            public void close() {
                first.close();
            }
        };
    }
}
