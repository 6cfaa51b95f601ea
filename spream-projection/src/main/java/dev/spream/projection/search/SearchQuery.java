package dev.spream.projection.search;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A query of a search index, for one page of its results.
 *
 * @param text words that a document must contain, of which the last may be unfinished; empty for all documents. At most
 *     1,000 characters
 * @param filters the required values by the name of a {@linkplain SearchSchema#filterable() filterable} field: a
 *     document matches if each of these fields has the value, or is a list with an element that has it
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
