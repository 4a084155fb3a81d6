// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.Map;

/** Where a command reads and writes: results on {@code out}, everything else on {@code err}. */
record Terminal(InputStream in, PrintStream out, PrintStream err) {
    /** One object, one line. */
    void json(Map<String, ?> object) {
        try {
            out.println(new ObjectMapper().writeValueAsString(object));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a result has no JSON form", e);
        }
        out.flush();
    }

    void say(String line) {
        out.println(line);
    }

    void warn(String line) {
        err.println("bw: " + line);
    }
}
