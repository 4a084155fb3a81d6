// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.bellwether.json.Shapes.Resolved;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A record as an object of its components. The one place that reaches into what is not public. */
final class RecordShape extends Shape {
    private final Class<?> type;
    private final List<String> names;
    private final List<Method> accessors;
    private final Constructor<?> constructor;
    private List<Shape> shapes = List.of();

    /** @throws IllegalArgumentException naming the package to open, if the record cannot be reached */
    RecordShape(Class<?> type) {
        this.type = type;
        RecordComponent[] components = type.getRecordComponents();
        this.names = Arrays.stream(components).map(RecordComponent::getName).toList();
        this.accessors =
                Arrays.stream(components).map(RecordComponent::getAccessor).toList();
        try {
            constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            accessors.forEach(accessor -> accessor.setAccessible(true));
        } catch (NoSuchMethodException | InaccessibleObjectException e) {
            throw new IllegalArgumentException(
                    type.getName() + " cannot be reached: open the package " + type.getPackageName()
                            + " to dev.bellwether.json, as by 'opens " + type.getPackageName()
                            + " to dev.bellwether.json' in its module-info",
                    e);
        }
    }

    RecordShape build(Shapes all, Map<TypeVariable<?>, Resolved> bindings) {
        shapes = Arrays.stream(type.getRecordComponents())
                .map(component -> {
                    String where = "component " + component.getName() + " of " + type.getName();
                    return all.of(Shapes.resolve(component.getGenericType(), bindings, where), where);
                })
                .toList();
        return this;
    }

    @Override
    ObjectNode writePresent(Object value) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < names.size(); i++) {
            object.set(names.get(i), shapes.get(i).write(component(value, i)));
        }
        return object;
    }

    private @Nullable Object component(Object value, int index) {
        try {
            return accessors.get(index).invoke(value);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalArgumentException(
                    "component " + names.get(index) + " of " + type.getName() + " cannot be read", e);
        }
    }

    @Override
    Object readPresent(JsonNode node) {
        if (!node.isObject()) {
            throw new IllegalArgumentException(
                    "not an object, as " + type.getName() + " is one: " + Scalars.shown(node));
        }
        @Nullable Object[] values = new @Nullable Object[names.size()];
        for (int i = 0; i < values.length; i++) values[i] = component(node, i);
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(
                    type.getName() + " refuses what was read: " + e.getCause(), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(type.getName() + " cannot be made", e);
        }
    }

    private @Nullable Object component(JsonNode node, int index) {
        try {
            return shapes.get(index).read(node.get(names.get(index)));
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "component " + names.get(index) + " of " + type.getName() + ": " + e.getMessage(), e);
        }
    }

    @Override
    void describe(StringBuilder text, Set<String> seen) {
        text.append(type.getSimpleName());
        if (!seen.add(type.getName())) return;
        text.append('{');
        IntStream.range(0, names.size())
                .boxed()
                .sorted(Comparator.comparing(names::get))
                .forEach(i -> {
                    text.append(names.get(i)).append(':');
                    shapes.get(i).describe(text, seen);
                    text.append(',');
                });
        text.append('}');
    }
}
