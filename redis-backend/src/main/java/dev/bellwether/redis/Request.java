// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One call of a script while it is put together. */
final class Request {
    private final Script script;
    private final List<byte[]> keys = new ArrayList<>();
    private final List<byte[]> args = new ArrayList<>();

    Request(Script script) {
        this.script = script;
    }

    Script script() {
        return script;
    }

    Request key(byte[] key) {
        keys.add(key);
        return this;
    }

    Request arg(byte[] arg) {
        args.add(arg);
        return this;
    }

    Request arg(String arg) {
        return arg(arg.getBytes(StandardCharsets.UTF_8));
    }

    Request arg(long number) {
        return arg(Long.toString(number).getBytes(StandardCharsets.US_ASCII));
    }

    Request arg(boolean flag) {
        return arg(flag ? 1 : 0);
    }

    /** By digest, or with the whole text where the server lacks the script. */
    Call call(boolean whole) {
        CommandArgs<byte[], byte[]> words = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        if (whole) words.add(script.text());
        else words.add(script.digest());
        words.add(keys.size());
        for (byte[] key : keys) words.addKey(key);
        for (byte[] arg : args) words.add(arg);
        return new Call(whole ? CommandType.EVAL : CommandType.EVALSHA, words);
    }
}
