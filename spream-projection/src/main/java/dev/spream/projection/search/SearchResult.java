package dev.spream.projection.search;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;

/**
 * The result of a search.
 *
 * @param total how many documents match, as far as the engine counts: an estimate for many
 * @param documents those that were asked for
 * @param took in the engine
 */
public record SearchResult(long total, List<SearchDocument> documents, Duration took) {
    public SearchResult {
        documents = List.copyOf(documents);
        requireNonNull(took, "took");
    }
}
