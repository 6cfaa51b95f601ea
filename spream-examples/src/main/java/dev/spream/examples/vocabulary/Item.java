package dev.spream.examples.vocabulary;

import java.util.List;
import java.util.Set;

/**
 * One meaning of a word, as first added.
 *
 * @param difficulty one of {@link #DIFFICULTIES}
 * @param categories without duplicates
 * @param examples the examples added with it
 */
record Item(
        String itemId,
        String definition,
        String difficulty,
        List<String> categories,
        List<String> tags,
        List<Example> examples) {
    static final Set<String> DIFFICULTIES = Set.of("beginner", "elementary", "intermediate", "advanced");

    Item {
        categories = List.copyOf(categories);
        tags = List.copyOf(tags);
        examples = List.copyOf(examples);
    }
}
