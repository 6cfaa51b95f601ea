package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.config.ConfigException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class VocabularySettingsTest {
    private static final Map<String, String> USABLE = Map.of(
            "DATABASE_URL", "postgres://u:p@h:5432/read",
            "EVENT_STORE_URL", "postgres://u:p@h:5432/events",
            "SEARCH_DIRECTORY", "/srv/search");

    private static VocabularySettings with(String variable, String value) {
        Map<String, String> environment = new HashMap<>(USABLE);
        environment.put(variable, value);
        return new VocabularySettings(environment);
    }

    private static void refused(VocabularySettings settings, String message) {
        assertThatThrownBy(settings::projections)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("sesame");
    }

    @Test
    void a_search_index_has_to_have_a_place_that_stays() {
        refused(
                with("SEARCH_DIRECTORY", ""),
                "SEARCH_DIRECTORY is missing: it is the directory of the search index, which must live");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"postgres://u:se/same@h/read", "postgres://u:ses@me@h/read", "postgresql://u:s?sesame@h/read"})
    void a_password_with_what_means_something_in_a_url_has_to_be_encoded(String url) {
        refused(
                with("DATABASE_URL", url),
                "DATABASE_URL is not postgres://user:password@host:5432/database: percent-encode");
        refused(with("EVENT_STORE_URL", url), "EVENT_STORE_URL is not postgres://");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres://u:se%2Fsame@h:5432/read",
                "postgresql://h/read?sslmode=require",
                "postgres://u@h/read?application_name=a/b",
                "jdbc:postgresql://h/read?user=u"
            })
    void any_other_url_is_left_to_the_database(String url) {
        assertThatCode(with("DATABASE_URL", url)::projections).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"-1", "1000", "some"})
    void retries_are_judged_as_they_are_counted(String retries) {
        refused(with("MAX_RETRY_ATTEMPTS", retries), "MAX_RETRY_ATTEMPTS: ");
        refused(with("MAX_RETRY_ATTEMPTS", retries), "0 to 999");
    }

    @Test
    void the_name_of_a_database_of_spanner_has_its_form() {
        Map<String, String> environment = new HashMap<>(USABLE);
        environment.putAll(Map.of("VOCABULARY_EVENTS", "change-stream", "SPANNER_DATABASE", "foo"));
        refused(new VocabularySettings(environment), "SPANNER_DATABASE: malformed database name 'foo'");
    }
}
