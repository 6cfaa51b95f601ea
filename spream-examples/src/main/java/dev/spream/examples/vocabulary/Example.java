package dev.spream.examples.vocabulary;

import java.util.List;

/** @param source the origin of the sentence; may be empty */
record Example(String exampleId, String sentence, String translation, String source, List<String> tags) {
    Example {
        tags = List.copyOf(tags);
    }
}
