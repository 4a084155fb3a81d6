// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The shapes of what holds others. */
final class Containers {
    private Containers() {}

    /** A list or a set, in its order. */
    static final class Many extends Shape {
        private final boolean set;
        private final Shape element;

        Many(boolean set, Shape element) {
            this.set = set;
            this.element = element;
        }

        @Override
        JsonNode writePresent(Object value) {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            for (Object each : (Collection<?>) value) array.add(element.write(each));
            return array;
        }

        @Override
        Object readPresent(JsonNode node) {
            if (!node.isArray()) throw new IllegalArgumentException("not an array: " + Scalars.shown(node));
            List<@Nullable Object> list = new ArrayList<>(node.size());
            for (JsonNode each : node) list.add(element.read(each));
            return set ? Collections.unmodifiableSet(new LinkedHashSet<>(list)) : Collections.unmodifiableList(list);
        }

        @Override
        void describe(StringBuilder text, Set<String> seen) {
            text.append(set ? "set(" : "list(");
            element.describe(text, seen);
            text.append(')');
        }
    }

    /** A map, in its order. */
    static final class Pairs extends Shape {
        private final Shape key;
        private final Shape value;

        Pairs(Shape key, Shape value) {
            this.key = key;
            this.value = value;
        }

        @Override
        JsonNode writePresent(Object map) {
            ObjectNode object = JsonNodeFactory.instance.objectNode();
            ((Map<?, ?>) map)
                    .forEach((name, each) -> object.set(key.writePresent(name).asText(), value.write(each)));
            return object;
        }

        @Override
        Object readPresent(JsonNode node) {
            if (!node.isObject()) throw new IllegalArgumentException("not an object: " + Scalars.shown(node));
            Map<Object, @Nullable Object> map = new LinkedHashMap<>();
            for (Map.Entry<String, JsonNode> field : node.properties()) {
                map.put(key.readPresent(TextNode.valueOf(field.getKey())), value.read(field.getValue()));
            }
            return Collections.unmodifiableMap(map);
        }

        @Override
        void describe(StringBuilder text, Set<String> seen) {
            text.append("map(");
            key.describe(text, seen);
            text.append(',');
            value.describe(text, seen);
            text.append(')');
        }
    }

    /** An optional: the value or null. */
    static final class Maybe extends Shape {
        private final Shape value;

        Maybe(Shape value) {
            this.value = value;
        }

        @Override
        JsonNode writePresent(Object optional) {
            Optional<?> maybe = (Optional<?>) optional;
            return maybe.isPresent() ? value.write(maybe.get()) : NullNode.getInstance();
        }

        @Override
        Object readPresent(JsonNode node) {
            return Optional.ofNullable(value.read(node));
        }

        @Override
        @Nullable
        Object whenAbsent() {
            return Optional.empty();
        }

        @Override
        void describe(StringBuilder text, Set<String> seen) {
            text.append("optional(");
            value.describe(text, seen);
            text.append(')');
        }
    }
}
