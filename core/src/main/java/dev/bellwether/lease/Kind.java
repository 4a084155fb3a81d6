// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.Engine;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.LeaseName;

/** What is locked: names of different kinds never meet. Each letter here travels with each request. */
enum Kind {
    LOCK("x"),
    SEMAPHORE("s"),
    ELECTION("e");

    private final String letter;

    Kind(String letter) {
        this.letter = letter;
    }

    Bytes prefix(Engine engine) {
        return engine.prefix("k", letter);
    }

    LeaseName lease(Engine engine, String name) {
        if (name.isEmpty())
            throw new IllegalArgumentException("the name of a lock is empty; give it at least a letter");
        return engine.lease(prefix(engine).plus(Bytes.utf8(name)));
    }
}
