package dev.spream.examples.vocabulary;

import java.util.List;

/** @param source where it is from; may be empty */
record Example(String exampleId, String sentence, String translation, String source, List<String> tags) {
    Example {
        tags = List.copyOf(tags);
    }
}
