package dev.spream.format.schema;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The schemas of the forms of rows seen, a bounded number of them. Safe for use by many threads.
 *
 * @param <S> a schema in the terms of a format
 */
public final class RowSchemas<S> {
    private static final int MAX_SIZE = 1_000;

    private final Function<RowForm, S> creation;
    private final Map<RowForm, S> known = new ConcurrentHashMap<>();

    public RowSchemas(Function<RowForm, S> creation) {
        this.creation = requireNonNull(creation, "creation");
    }

    /** Returns the schema of the form. */
    public S of(RowForm form) {
        @Nullable S schema = known.get(form);
        if (schema == null) {
            schema = creation.apply(form);
            if (known.size() >= MAX_SIZE) {
                known.clear();
            }
            known.put(form, schema);
        }
        return schema;
    }
}
