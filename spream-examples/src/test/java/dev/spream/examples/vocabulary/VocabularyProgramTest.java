package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class VocabularyProgramTest {
    private static final String NOBODY = "postgres://u:p@localhost:1/d";

    private static int status(Map<String, String> environment, String... args) {
        try (VocabularyProgram program = new VocabularyProgram()) {
            return program.run(args, environment);
        }
    }

    @Test
    void printing_the_help_is_no_error() {
        assertThat(status(Map.of(), "--help")).isZero();
        assertThat(status(Map.of(), "--helpless")).isEqualTo(2);
    }

    @Test
    void a_database_that_stays_needs_an_index_that_stays() {
        assertThat(status(Map.of("DATABASE_URL", NOBODY, "EVENT_STORE_URL", NOBODY)))
                .isEqualTo(2);
    }

    @Test
    void a_variable_that_is_empty_says_nothing() {
        assertThat(status(
                        Map.of("DATABASE_URL", NOBODY, "EVENT_STORE_URL", NOBODY, "PUBSUB_EMULATOR_HOST", ""),
                        "--events",
                        "pubsub"))
                .isEqualTo(2);
    }
}
