// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Finds the shape of a type from its declaration. For one thread; one for each codec. */
final class Shapes {
    /** A class with its type arguments, each of them resolved. */
    record Resolved(Class<?> raw, List<Resolved> arguments) {
        Resolved argument(int index) {
            return arguments.get(index);
        }
    }

    // A type that is being built stands here already, so that one that contains itself finds itself.
    private final Map<Resolved, Shape> known = new HashMap<>();

    Shape of(Class<?> type) {
        return of(new Resolved(type, List.of()), type.getName());
    }

    Shape of(Resolved type, String where) {
        Shape scalar = Scalars.find(type.raw());
        if (scalar != null) return scalar;
        Shape present = known.get(type);
        return present != null ? present : build(type, where);
    }

    private Shape build(Resolved type, String where) {
        Class<?> raw = type.raw();
        if (raw.isEnum()) return new EnumShape(raw);
        if (raw == List.class || raw == Collection.class || raw == Set.class) {
            return new Containers.Many(raw == Set.class, of(type.argument(0), where));
        }
        if (raw == Map.class) {
            if (!Scalars.has(type.argument(0).raw()) && !type.argument(0).raw().isEnum()) {
                throw new IllegalArgumentException(where + " is a map with keys of "
                        + type.argument(0).raw().getName() + ", which are no single text");
            }
            return new Containers.Pairs(of(type.argument(0), where), of(type.argument(1), where));
        }
        if (raw == Optional.class) {
            if (type.argument(0).raw() == Optional.class) {
                throw new IllegalArgumentException(
                        where + " is an optional of an optional, which JSON cannot tell apart");
            }
            return new Containers.Maybe(of(type.argument(0), where));
        }
        if (raw.isRecord()) {
            RecordShape shape = new RecordShape(raw);
            known.put(type, shape);
            return shape.build(this, bindings(type, where));
        }
        if (raw.isSealed() && raw.isInterface()) {
            SealedShape shape = new SealedShape(raw);
            known.put(type, shape);
            return shape.build(this, type);
        }
        throw new IllegalArgumentException(
                where + " is a " + raw.getTypeName() + ", which has no JSON form: use strings,"
                        + " numbers, booleans, enums, java.time, UUID, byte[], records of these, sealed interfaces of records, or"
                        + " List, Set, Map and Optional of these; or pass a Codec of your own");
    }

    private static Map<TypeVariable<?>, Resolved> bindings(Resolved type, String where) {
        TypeVariable<?>[] variables = type.raw().getTypeParameters();
        if (variables.length != type.arguments().size()) {
            throw new IllegalArgumentException(where + " leaves open what its " + Arrays.toString(variables)
                    + " is: wrap it in a record whose component names it");
        }
        Map<TypeVariable<?>, Resolved> bindings = new HashMap<>();
        for (int i = 0; i < variables.length; i++) bindings.put(variables[i], type.argument(i));
        return bindings;
    }

    /** The type with its variables replaced. */
    static Resolved resolve(Type type, Map<TypeVariable<?>, Resolved> bindings, String where) {
        if (type instanceof Class<?> raw) {
            if (raw.getTypeParameters().length > 0) {
                throw new IllegalArgumentException(where + " is a raw " + raw.getName() + "; state its type arguments");
            }
            return new Resolved(raw, List.of());
        }
        if (type instanceof ParameterizedType generic) {
            return new Resolved(
                    (Class<?>) generic.getRawType(),
                    Arrays.stream(generic.getActualTypeArguments())
                            .map(argument -> resolve(argument, bindings, where))
                            .toList());
        }
        if (type instanceof WildcardType wildcard) return resolve(wildcard.getUpperBounds()[0], bindings, where);
        if (type instanceof GenericArrayType) {
            throw new IllegalArgumentException(where + " is an array; use a List");
        }
        Resolved bound = type instanceof TypeVariable<?> variable ? bindings.get(variable) : null;
        if (bound == null) throw new IllegalArgumentException(where + " is of the open type " + type);
        return bound;
    }
}
