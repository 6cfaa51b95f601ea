package dev.spream.examples.vocabulary;

import java.util.Set;

/**
 * The word of an entry.
 *
 * @param reading its pronunciation, such as in kana; may be empty
 * @param partOfSpeech one of {@link #PARTS_OF_SPEECH}
 */
record Word(String word, String reading, String partOfSpeech) {
    static final Set<String> PARTS_OF_SPEECH = Set.of("noun", "verb", "adjective", "adverb", "expression", "other");
}
