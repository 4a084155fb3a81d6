// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import dev.bellwether.Bellwether;

/** Hands back what is held when the process is told to end. */
final class Closing extends Thread {
    private final Bellwether bellwether;

    Closing(Bellwether bellwether) {
        super("bellwether-closing");
        this.bellwether = bellwether;
    }

    @Override
    public void run() {
        ProcessHandle.current().children().forEach(ProcessHandle::destroy);
        bellwether.close();
    }

    static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException alreadyEnding) {
            hook.setName("bellwether-closing (running)");
        }
    }
}
