// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

/** Where the {@code bw} command starts and ends. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(Bw.run(new Terminal(System.in, System.out, System.err), args));
    }
}
