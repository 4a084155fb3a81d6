// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/** The last things that happened; put into words only when somebody asks. */
final class Trace {
    private static final int KEPT = 200;

    private record Line(long nanos, String who, String what, Object detail) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%14.6f ms  %-10s %s %s", nanos / 1e6, who, what, detail);
        }
    }

    private final Deque<Line> lines = new ArrayDeque<>(KEPT + 1);

    void add(long nanos, String who, String what, Object detail) {
        lines.add(new Line(nanos, who, what, detail));
        if (lines.size() > KEPT) lines.remove();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append("\n  ").append(line));
        return text.toString();
    }
}
