// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import dev.bellwether.Bellwether;
import dev.bellwether.time.Threads;

/** Hands back what is held when the process is told to end. */
final class Closing {
    private final Thread hook;

    private Closing(Bellwether bellwether) {
        hook = Threads.named("closing").newThread(() -> {
            ProcessHandle.current().children().forEach(ProcessHandle::destroy);
            bellwether.close();
        });
    }

    /** From now on until closed. */
    static Closing atExitOf(Bellwether bellwether) {
        Closing closing = new Closing(bellwether);
        Runtime.getRuntime().addShutdownHook(closing.hook);
        return closing;
    }

    void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException alreadyEnding) {
            return; // the hook runs, and the process ends
        }
    }
}
