// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How values of one type stand in JSON. Immutable once built; null is null everywhere. */
abstract class Shape {
    final JsonNode write(@Nullable Object value) {
        return value == null ? whenNull() : writePresent(value);
    }

    final @Nullable Object read(@Nullable JsonNode node) {
        return node == null || node.isNull() ? whenAbsent() : readPresent(node);
    }

    abstract JsonNode writePresent(Object value);

    abstract Object readPresent(JsonNode node);

    JsonNode whenNull() {
        return NullNode.getInstance();
    }

    /** What a component is that is null or missing. */
    @Nullable
    Object whenAbsent() {
        return null;
    }

    final String describe() {
        StringBuilder text = new StringBuilder();
        describe(text, new HashSet<>());
        return text.toString();
    }

    /** @param seen names of types that were described further left: they are only named again, so that this ends */
    abstract void describe(StringBuilder text, Set<String> seen);
}
