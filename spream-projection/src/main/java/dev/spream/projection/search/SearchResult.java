package dev.spream.projection.search;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;

/**
 * The result of a search: the requested page of documents, and the number of all that match.
 *
 * @param total the number of matching documents; an estimate if there are many
 * @param documents the requested documents
 * @param took the time in the engine
 */
public record SearchResult(long total, List<SearchDocument> documents, Duration took) {
    public SearchResult {
        documents = List.copyOf(documents);
        requireNonNull(took, "took");
    }
}
