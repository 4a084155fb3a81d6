// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/** The last requests of a test with their replies, told with the law when the test fails. */
final class Transcript {
    private static final int KEPT = 12;
    private static final int SHOWN = 700;

    private record Line(Object request, @Nullable Object reply) {
        @Override
        public String toString() {
            return "  > " + cut(request) + "\n  < " + cut(reply);
        }
    }

    private final Deque<Line> lines = new ArrayDeque<>();

    void add(Object request, @Nullable Object reply) {
        lines.addLast(new Line(request, reply));
        if (lines.size() > KEPT) lines.removeFirst();
    }

    private static String cut(@Nullable Object value) {
        String text = String.valueOf(value);
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "... (" + text.length() + " characters)";
    }

    @Override
    public String toString() {
        return lines.stream().map(Line::toString).collect(Collectors.joining("\n"));
    }

    /** Puts the laws before and the transcript behind whatever a test failed with. */
    static final class Teller implements TestExecutionExceptionHandler {
        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable failure) {
            Proves proves = context.getRequiredTestMethod().getAnnotation(Proves.class);
            String laws = proves == null
                    ? ""
                    : Stream.of(proves.value())
                            .map(law -> law.number() + ", " + law.statement())
                            .collect(Collectors.joining("; "));
            BackendContract contract = (BackendContract) context.getRequiredTestInstance();
            throw new AssertionError(
                    "law " + laws + "\n" + failure + "\nlast requests and replies:\n" + contract.transcript(), failure);
        }
    }
}
