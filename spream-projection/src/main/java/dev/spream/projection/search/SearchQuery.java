package dev.spream.projection.search;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A search.
 *
 * @param text words, of which the last may be unfinished; empty for all documents. At most 1,000 characters
 * @param filters values that filterable fields must have; of a field with a list, one of them
 * @param sortBy a sortable field, ascending; empty for the best match first
 * @param offset how many results to pass over: 0 to 10,000
 * @param limit how many to return at most: 1 to 1,000
 */
public record SearchQuery(String text, Map<String, String> filters, Optional<String> sortBy, int offset, int limit) {
    private static final int MAX_TEXT = 1_000;
    private static final int MAX_OFFSET = 10_000;
    private static final int MAX_LIMIT = 1_000;

    public SearchQuery {
        requireNonNull(sortBy, "sortBy");
        filters = Collections.unmodifiableMap(new LinkedHashMap<>(filters));
        if (text.length() > MAX_TEXT) {
            throw new IllegalArgumentException(
                    "the text has %d characters, must have at most %d".formatted(text.length(), MAX_TEXT));
        }
        requireBetween("offset", offset, 0, MAX_OFFSET);
        requireBetween("limit", limit, 1, MAX_LIMIT);
    }

    /** The first 20 that match. */
    public static SearchQuery of(String text) {
        return new SearchQuery(text, Map.of(), Optional.empty(), 0, 20);
    }
}
