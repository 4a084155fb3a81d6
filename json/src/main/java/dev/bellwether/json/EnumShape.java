// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** A constant by its name. */
final class EnumShape extends Shape {
    private final Class<?> type;
    private final Map<String, Object> constants = new HashMap<>();

    EnumShape(Class<?> type) {
        this.type = type;
        for (Object constant : type.getEnumConstants()) constants.put(((Enum<?>) constant).name(), constant);
    }

    @Override
    JsonNode writePresent(Object value) {
        return TextNode.valueOf(((Enum<?>) value).name());
    }

    @Override
    Object readPresent(JsonNode node) {
        Object constant = constants.get(node.asText());
        if (constant == null)
            throw new IllegalArgumentException(type.getName() + " has no constant " + Scalars.shown(node));
        return constant;
    }

    @Override
    void describe(StringBuilder text, Set<String> seen) {
        text.append("enum ").append(type.getSimpleName());
    }
}
