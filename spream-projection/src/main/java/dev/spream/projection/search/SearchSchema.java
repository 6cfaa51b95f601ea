package dev.spream.projection.search;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The fields of documents that an index uses. Other fields are stored and returned, but cannot be searched.
 *
 * @param searchable fields with searchable text, the most important first
 * @param filterable fields that searches can be narrowed by
 * @param sortable fields that results can be ordered by
 */
public record SearchSchema(List<String> searchable, Set<String> filterable, Set<String> sortable) {
    private static final Pattern FIELD = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,63}");

    public SearchSchema {
        searchable = List.copyOf(searchable);
        filterable = Set.copyOf(filterable);
        sortable = Set.copyOf(sortable);
        if (searchable.isEmpty() || new LinkedHashSet<>(searchable).size() != searchable.size()) {
            throw new IllegalArgumentException(
                    "searchable fields are %s, must be at least one, each once".formatted(searchable));
        }
        searchable.forEach(SearchSchema::checkField);
        filterable.forEach(SearchSchema::checkField);
        sortable.forEach(SearchSchema::checkField);
    }

    /** Checks a name: 1 to 64 letters, digits and underscores, starting with a letter. */
    static void checkField(String name) {
        if (!FIELD.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the field '%s' must be 1 to 64 letters, digits and underscores, a letter first".formatted(name));
        }
    }
}
