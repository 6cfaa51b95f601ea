package dev.spream.core.serialization;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A step from one version of a type to the next, on its JSON object: {@code data -> data.put("currency", "EUR")}. Without
 * side effects elsewhere, and safe for use by many threads.
 */
@FunctionalInterface
public interface Upcaster {

    /**
     * Changes the members to those of the next version.
     *
     * @param data the members, mutable at every level: null, {@link Boolean}, {@link java.math.BigDecimal}, {@link
     *     String}, {@link java.util.List} and {@link Map}
     */
    void upcast(Map<String, @Nullable Object> data);
}
