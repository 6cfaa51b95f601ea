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
 * @param filters the required values of filterable fields; for a field with a list, of one of its elements
 * @param sortBy a sortable field, ascending; empty for the best match first
 * @param offset the number of results to skip: 0 to 10,000
 * @param limit the maximum number of results: 1 to 1,000
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

    /** Returns a query for the first 20 matches. */
    public static SearchQuery of(String text) {
        return new SearchQuery(text, Map.of(), Optional.empty(), 0, 20);
    }
}
