// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import dev.bellwether.codec.Codec;
import java.nio.ByteBuffer;

/** How a command ended and all that it wrote. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record CommandResult(int exitCode, byte[] out, byte[] err) {
    /** Format, exit code, both outputs with their lengths. */
    static final Codec<CommandResult> CODEC = new Codec<>() {
        @Override
        public byte[] encode(CommandResult result) {
            return ByteBuffer.allocate(4 + 4 + result.out.length + result.err.length)
                    .putInt(result.exitCode)
                    .putInt(result.out.length)
                    .put(result.out)
                    .put(result.err)
                    .array();
        }

        @Override
        public CommandResult decode(byte[] bytes) {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            int exitCode = in.getInt();
            byte[] out = new byte[in.getInt()];
            in.get(out);
            byte[] err = new byte[in.remaining()];
            in.get(err);
            return new CommandResult(exitCode, out, err);
        }

        @Override
        public String fingerprint() {
            return "command result 1";
        }
    };

    /** Writes both outputs as the command did. */
    int replay(Terminal terminal) {
        terminal.err().write(err, 0, err.length);
        terminal.err().flush();
        terminal.out().write(out, 0, out.length);
        terminal.out().flush();
        return exitCode;
    }
}
