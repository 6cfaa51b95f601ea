package dev.spream.examples.vocabulary;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A change of an item; empty fields stay unchanged.
 *
 * @param qualityScore 0 to 1
 */
record ItemChange(
        Optional<String> definition,
        Optional<String> difficulty,
        Optional<List<String>> categories,
        Optional<List<String>> tags,
        Optional<String> reviewStatus,
        Optional<Double> qualityScore) {
    static final Set<String> REVIEW_STATUSES = Set.of("pending", "approved", "rejected");

    ItemChange {
        categories = categories.map(List::copyOf);
        tags = tags.map(List::copyOf);
    }

    boolean isEmpty() {
        return definition.isEmpty()
                && difficulty.isEmpty()
                && categories.isEmpty()
                && tags.isEmpty()
                && reviewStatus.isEmpty()
                && qualityScore.isEmpty();
    }
}
