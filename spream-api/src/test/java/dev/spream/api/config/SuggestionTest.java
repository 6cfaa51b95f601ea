package dev.spream.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SuggestionTest {
    private static final List<String> KEYS = List.of("storage", "source", "sink", "max-inflight", "jdbc", "memory");

    @ParameterizedTest
    @CsvSource({
        "max-infligth, max-inflight",
        "maxInflight, max-inflight",
        "max_inflight, max-inflight",
        "jbdc, jdbc",
        "storag, storage",
        "sinks, sink",
        "sorce, source",
    })
    void a_word_with_few_mistakes_is_recognised(String word, String meant) {
        assertThat(Suggestion.nearest(word, KEYS)).contains(meant);
    }

    @Test
    void a_word_that_is_mostly_mistakes_is_not() {
        assertThat(Suggestion.nearest("spanner", KEYS)).isEmpty();
        assertThat(Suggestion.nearest("x", KEYS)).isEmpty();
        assertThat(Suggestion.nearest("", KEYS)).isEmpty();
    }

    @Test
    void of_two_that_are_as_near_the_first_in_the_alphabet_is_meant() {
        assertThat(Suggestion.nearest("cat", List.of("hat", "bat", "rat"))).contains("bat");
    }
}
