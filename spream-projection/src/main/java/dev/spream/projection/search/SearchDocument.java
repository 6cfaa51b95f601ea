package dev.spream.projection.search;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A document of a search index: its id and its fields.
 *
 * @param id 1 to 511 letters, digits, hyphens and underscores, the limit of the strictest engine
 * @param fields the fields by name, in order: {@code String}, {@code Long}, {@code Double}, {@code Boolean}, or a
 *     {@code List} of {@code String}
 */
public record SearchDocument(String id, Map<String, Object> fields) {
    private static final int MAX_ID = 511;

    public SearchDocument {
        checkId(id);
        fields = checked(fields);
    }

    static void checkId(String id) {
        boolean plain = id.chars().allMatch(c -> c < 128 && (Character.isLetterOrDigit(c) || c == '-' || c == '_'));
        if (id.isEmpty() || id.length() > MAX_ID || !plain) {
            throw new IllegalArgumentException(
                    "the id of a document has %d characters, must be 1 to %d letters, digits, hyphens and underscores"
                            .formatted(id.length(), MAX_ID));
        }
    }

    static Map<String, Object> checked(Map<String, Object> fields) {
        Map<String, Object> copy = new LinkedHashMap<>();
        fields.forEach((name, value) -> {
            SearchSchema.checkField(name);
            copy.put(name, checked(name, value));
        });
        return Collections.unmodifiableMap(copy);
    }

    private static Object checked(String name, Object value) {
        return switch (value) {
            case String text -> text;
            case Long number -> number;
            case Double number -> number;
            case Boolean flag -> flag;
            case List<?> list when list.stream().allMatch(String.class::isInstance) -> List.copyOf(list);
            default ->
                throw new IllegalArgumentException(
                        "the field '%s' is a %s, must be text, long, double, boolean or a list of text"
                                .formatted(name, value.getClass().getSimpleName()));
        };
    }
}
