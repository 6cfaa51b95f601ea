package dev.spream.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProjectionVariablesTest {
    private static final Map<String, String> READ_DATABASE =
            Map.of("DATABASE_URL", "postgres://ann:hunter2@postgres:5432/vocabulary_read");

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "DATABASE_URL; postgres://u:p@h:5432/read; projections.jdbc.url; jdbc:postgresql://h:5432/read",
                "DATABASE_URL; postgresql://u:p@h/read?sslmode=require; projections.jdbc.url;"
                        + " jdbc:postgresql://h/read?sslmode=require",
                "DATABASE_URL; jdbc:postgresql://h/read?user=u; projections.jdbc.url; jdbc:postgresql://h/read?user=u",
                "DATABASE_URL; postgres://o%27neill:p@h/read; projections.jdbc.user; o'neill",
                "DATABASE_URL; postgres://u:a+b%40c%2Fd@h/read; projections.jdbc.password; a+b@c/d",
                "DATABASE_URL; postgres://u:50%@h/read; projections.jdbc.password; 50%",
                "DATABASE_URL; postgres://u:${env:HOME}@h/read; projections.jdbc.password; ${env:HOME}",
                "DATABASE_URL; postgres://u@h/read; projections.jdbc.user; u",
                "DATABASE_URL; mysql://h/read; projections.jdbc.url; mysql://h/read",
                "EVENT_STORE_URL; postgres://u:p@h/events; events.jdbc.url; jdbc:postgresql://h/events",
                "EVENT_STORE_URL; postgres://u:p@h/events; events.jdbc.user; u",
                "EVENT_STORE_URL; postgres://u:p@h/events; events.jdbc.password; p",
                "PUBSUB_PROJECT_ID; effect-project; event-source.pubsub.project; effect-project",
                "PUBSUB_SUBSCRIPTION; events-sub; event-source.pubsub.subscription; events-sub",
                "PUBSUB_ACK_DEADLINE; 600s; event-source.pubsub.ack-deadline; 600s",
                "MEILISEARCH_URL; http://meilisearch:7700; search.meilisearch.url; http://meilisearch:7700",
                "MEILISEARCH_API_KEY; sesame; search.meilisearch.api-key; sesame",
                "MAX_RETRY_ATTEMPTS; 3; projections.max-attempts; 4",
                "MAX_RETRY_ATTEMPTS; some; projections.max-attempts; some",
                "INITIAL_RETRY_DELAY; 1s; projections.initial-delay; 1s",
                "MAX_RETRY_DELAY; 30s; projections.max-delay; 30s",
            })
    void a_variable_configures_its_keys_where_it_is_asked_for(String variable, String text, String key, String value) {
        assertThat(asked(Map.of(variable, text)).raw(key)).contains(value);
        SpreamConfig notAsked =
                SpreamConfig.builder().environment(Map.of(variable, text)).build();
        assertThat(notAsked.raw(key)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "postgres://h/read; projections.jdbc.user",
                "postgres://u@h/read; projections.jdbc.password",
                "jdbc:postgresql://h/read; projections.jdbc.user",
                "' '; projections.jdbc.url"
            })
    void keys_without_a_variable_are_not_configured(String text, String key) {
        assertThat(asked(Map.of("DATABASE_URL", text)).mayConfigure(key)).isFalse();
    }

    @Test
    void our_own_variable_wins() {
        SpreamConfig both = asked(Map.of("MAX_RETRY_ATTEMPTS", "3", "SPREAM_CONFIG_PROJECTIONS_MAX_ATTEMPTS", "9"));
        assertThat(both.raw("projections.max-attempts")).contains("9");
    }

    @Test
    void credentials_in_a_database_url_are_not_shown() {
        ConfigKey<String> url = ConfigKey.of("url", ConfigType.text(), "Where it is.");
        ConfigKey<String> password =
                ConfigKey.of("password", ConfigType.text(), "Who may.").secret();
        List<ConfigSection> sections = List.of(new ConfigSection("projections.jdbc", List.of(url, password), true));
        ResolvedConfig resolved = ResolvedConfig.of(asked(READ_DATABASE), sections);
        assertThat(resolved.problems()).isEmpty();
        assertThat(resolved.section("projections.jdbc").get(password)).isEqualTo("hunter2");
        assertThat(resolved.entries().toString() + asked(READ_DATABASE))
                .contains("jdbc:postgresql://postgres:5432/vocabulary_read", "DATABASE_URL")
                .doesNotContain("hunter2");
        SpreamConfig odd = asked(Map.of("DATABASE_URL", "postgres://ann:hun/ter2@h/read"));
        assertThat(ResolvedConfig.of(odd, sections).describe("projections.jdbc.url"))
                .contains("postgres://********@h/read")
                .doesNotContain("ter2");
    }

    private static SpreamConfig asked(Map<String, String> variables) {
        return SpreamConfig.builder()
                .environment(variables)
                .projectionVariables()
                .build();
    }
}
