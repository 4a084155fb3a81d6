// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.error;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The loader failed, here or at the leader; nothing was stored. */
public final class LoadFailedException extends BellwetherException {
    private static final long serialVersionUID = 1;

    private final List<String> causeTypes;

    public LoadFailedException(String message, @Nullable Throwable cause) {
        this(message, cause, cause == null ? List.of() : typesOf(cause));
    }

    /** For a failure that happened in another process, of which only the type names came over. */
    public LoadFailedException(String message, @Nullable Throwable cause, List<String> causeTypes) {
        super(message, cause);
        this.causeTypes = List.copyOf(causeTypes);
    }

    /** Whether the failure was of this type, also when it happened in another process and only its name came over. */
    public boolean causedBy(Class<? extends Throwable> type) {
        return causeTypes.contains(type.getName());
    }

    /** Names of the failure's class and its superclasses, most specific first. */
    public List<String> causeTypes() {
        return causeTypes;
    }

    /** The names of a failure's class and superclasses up to {@link Throwable}. */
    public static List<String> typesOf(Throwable failure) {
        var names = new java.util.ArrayList<String>();
        for (Class<?> type = failure.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
            names.add(type.getName());
        }
        return List.copyOf(names);
    }

    @Override
    public boolean nothingHappened() {
        return true;
    }
}
