// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a class is made of, so that another shape of it has another fingerprint, and the sealed interfaces in it. */
final class Shapes {
    private final Set<Class<?>> seen = new HashSet<>();
    private final Set<Class<?>> sealedOnes = new LinkedHashSet<>();
    private final Map<String, Class<?>> cases = new LinkedHashMap<>();
    private final StringBuilder shape = new StringBuilder();

    void visit(Type type) {
        if (type instanceof Class<?> plain) {
            visitClass(plain);
        } else if (type instanceof ParameterizedType generic) {
            visit(generic.getRawType());
            for (Type argument : generic.getActualTypeArguments()) visit(argument);
        } else if (type instanceof GenericArrayType array) {
            shape.append("[]");
            visit(array.getGenericComponentType());
        } else if (type instanceof WildcardType wildcard) {
            for (Type bound : wildcard.getUpperBounds()) visit(bound);
        } else {
            shape.append(type.getTypeName());
        }
    }

    private void visitClass(Class<?> type) {
        if (type.isArray()) {
            shape.append("[]");
            visit(type.getComponentType());
            return;
        }
        shape.append(type.getName());
        if (!seen.add(type)) return;
        if (type.isRecord()) {
            shape.append('(');
            for (RecordComponent component : type.getRecordComponents()) {
                shape.append(component.getName()).append(':');
                visit(component.getGenericType());
                shape.append(',');
            }
            shape.append(')');
        } else if (type.isEnum()) {
            shape.append(Arrays.toString(type.getEnumConstants()));
        } else if (type.isSealed()) {
            visitSealed(type);
        }
    }

    private void visitSealed(Class<?> type) {
        sealedOnes.add(type);
        List<Class<?>> permitted = new ArrayList<>(Arrays.asList(type.getPermittedSubclasses()));
        shape.append('<');
        for (Class<?> each : permitted) {
            if (!each.isSealed()) {
                Class<?> other = cases.putIfAbsent(each.getSimpleName(), each);
                if (other != null && other != each) {
                    throw new IllegalArgumentException("the cases " + other.getName() + " and " + each.getName()
                            + " share a simple name, by which they would be told apart; rename one");
                }
            }
            visit(each);
            shape.append('|');
        }
        shape.append('>');
    }

    Set<Class<?>> sealedTypes() {
        return sealedOnes;
    }

    Map<String, Class<?>> cases() {
        return cases;
    }

    String fingerprint() {
        return shape.toString();
    }
}
