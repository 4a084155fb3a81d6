// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

/** What the exit codes of {@code bw} mean; a child's own code goes before all of them. */
final class ExitCode {
    static final int DONE = 0;
    static final int USAGE = 2;
    static final int UNAVAILABLE = 69;
    static final int DEFECT = 70;
    static final int UNKNOWN = 73;
    static final int BUSY = 75;
    static final int LOST = 76;
    static final int NOT_EXECUTABLE = 126;
    static final int NOT_FOUND = 127;

    private ExitCode() {}
}
