// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.bellwether.json.Shapes.Resolved;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A sealed interface: its case by simple name, then the case itself. */
final class SealedShape extends Shape {
    private static final String TYPE = "@type";

    /** Where a case stands that is no object. */
    private static final String VALUE = "value";

    private record Case(Class<?> type, Shape shape) {}

    private final Class<?> type;
    private final Map<String, Case> cases = new TreeMap<>();
    private final Map<Class<?>, String> names = new HashMap<>();

    SealedShape(Class<?> type) {
        this.type = type;
    }

    SealedShape build(Shapes all, Resolved resolved) {
        add(all, resolved);
        return this;
    }

    /** Cases of sealed interfaces among the cases are cases of this. */
    private void add(Shapes all, Resolved sealed) {
        for (Class<?> permitted : sealed.raw().getPermittedSubclasses()) {
            Resolved resolved = new Resolved(permitted, arguments(permitted, sealed));
            if (permitted.isSealed() && permitted.isInterface()) {
                add(all, resolved);
                continue;
            }
            if (!permitted.isRecord() && !permitted.isEnum()) {
                throw new IllegalArgumentException(permitted.getName() + ", a case of " + type.getName()
                        + ", is neither a record nor an enum, and has no JSON form");
            }
            String name = permitted.getSimpleName();
            Shape shape = all.of(resolved, permitted.getName());
            Case other = cases.put(name, new Case(permitted, shape));
            if (other != null && other.type() != permitted) {
                throw new IllegalArgumentException("two cases of " + type.getName() + " are called " + name + ": "
                        + permitted.getName() + " and " + other.type().getName());
            }
            names.put(permitted, name);
        }
    }

    /** What a case's own type variables are, by the variables that it hands to the interface. */
    private static List<Resolved> arguments(Class<?> permitted, Resolved sealed) {
        Map<TypeVariable<?>, Resolved> bindings = new HashMap<>();
        for (Type implemented : permitted.getGenericInterfaces()) {
            if (!(implemented instanceof ParameterizedType generic) || generic.getRawType() != sealed.raw()) continue;
            Type[] handed = generic.getActualTypeArguments();
            for (int i = 0; i < Math.min(handed.length, sealed.arguments().size()); i++) {
                if (handed[i] instanceof TypeVariable<?> variable) bindings.put(variable, sealed.argument(i));
            }
        }
        return Arrays.stream(permitted.getTypeParameters())
                .map(variable -> Shapes.resolve(variable, bindings, permitted.getName()))
                .toList();
    }

    @Override
    JsonNode writePresent(Object value) {
        // A constant of an enum may be of a class of its own.
        Class<?> actual = value instanceof Enum<?> constant ? constant.getDeclaringClass() : value.getClass();
        String name = names.get(actual);
        Case found = name == null ? null : cases.get(name);
        if (found == null) throw new IllegalArgumentException(actual.getName() + " is no case of " + type.getName());
        JsonNode written = found.shape().write(value);
        ObjectNode object = JsonNodeFactory.instance.objectNode().put(TYPE, name);
        if (!written.isObject()) return object.set(VALUE, written);
        return object.setAll((ObjectNode) written);
    }

    @Override
    Object readPresent(JsonNode node) {
        JsonNode name = node.get(TYPE);
        Case found = name == null ? null : cases.get(name.asText());
        if (found == null) {
            throw new IllegalArgumentException((name == null ? "no " + TYPE : Scalars.shown(name)) + " where a case of "
                    + type.getName() + " is due: one of " + cases.keySet());
        }
        Object value = found.shape().read(found.type().isEnum() ? node.get(VALUE) : node);
        if (value == null) throw new IllegalArgumentException("a " + name.asText() + " without a value");
        return value;
    }

    @Override
    void describe(StringBuilder text, Set<String> seen) {
        text.append(type.getSimpleName());
        if (!seen.add(type.getName())) return;
        text.append('(');
        cases.values().forEach(each -> {
            each.shape().describe(text, seen);
            text.append('|');
        });
        text.append(')');
    }
}
