package dev.spream.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OutboxVariablesTest {
    private static final ConfigSection OUTBOX = new ConfigSection(
            "outbox",
            List.of(ConfigKey.of(
                            "lease",
                            ConfigType.duration(Duration.ofMillis(100), Duration.ofDays(1)),
                            "How long it is held.")
                    .withDefault(Duration.ofMinutes(2))),
            true);

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "OUTBOX_ENABLED; outbox.enabled; true; true",
                "OUTBOX_ENABLED; outbox.enabled; TRUE; true",
                "OUTBOX_ENABLED; outbox.enabled; 1; true",
                "OUTBOX_ENABLED; outbox.enabled; no; false",
                "OUTBOX_ENABLED; outbox.enabled; maybe; maybe",
                "OUTBOX_CONCURRENCY; outbox.concurrency; 4; 4",
                "OUTBOX_BATCH; outbox.batch; 32; 32",
                "OUTBOX_POLL_INTERVAL_SEC; outbox.poll-interval; 0.5; 500ms",
                "OUTBOX_POLL_INTERVAL_SEC; outbox.poll-interval; 2; 2s",
                "OUTBOX_POLL_INTERVAL_SEC; outbox.poll-interval; 2.0; 2s",
                "OUTBOX_POLL_INTERVAL_SEC; outbox.poll-interval; 0.0005; 0.0005",
                "OUTBOX_LOCK_LEASE_SEC; outbox.lease; 120; 120s",
                "OUTBOX_LOCK_LEASE_SEC; outbox.lease; soon; soon",
                "OUTBOX_MAX_ATTEMPTS; outbox.max-attempts; 6; 6",
                "OUTBOX_BACKOFF_SEC; outbox.backoff; '[5,10,20,40,80,160]'; 5s,10s,20s,40s,80s,160s",
                "OUTBOX_BACKOFF_SEC; outbox.backoff; '5, 10, 0.5'; 5s,10s,500ms",
                "OUTBOX_BACKOFF_SEC; outbox.backoff; 5s..10m; 5s..10m",
                "BROKER_TIMEOUT_MS; outbox.send-timeout; 2500; 2500ms",
            })
    void a_variable_configures_its_key_in_its_own_unit(String variable, String key, String text, String value) {
        SpreamConfig config =
                SpreamConfig.builder().environment(Map.of(variable, text)).build();
        assertThat(config.raw(key)).contains(value);
    }

    @Test
    void our_own_variable_wins_and_the_file_loses() {
        Map<String, String> both = Map.of("OUTBOX_LOCK_LEASE_SEC", "60", "SPREAM_CONFIG_OUTBOX_LEASE", "30s");
        assertThat(SpreamConfig.builder().environment(both).build().raw("outbox.lease"))
                .contains("30s");
        assertThat(lease(Map.of("OUTBOX_LOCK_LEASE_SEC", "60")))
                .isEqualTo("outbox.lease is '60s' (OUTBOX_LOCK_LEASE_SEC)");
        assertThat(lease(Map.of("OUTBOX_LOCK_LEASE_SEC", " "))).isEqualTo("outbox.lease is '2m' (default)");
    }

    @Test
    void a_problem_names_the_variable() {
        assertThat(resolved(Map.of("OUTBOX_LOCK_LEASE_SEC", "soon")).problems())
                .singleElement()
                .asString()
                .startsWith("outbox.lease is 'soon' (OUTBOX_LOCK_LEASE_SEC): expected duration");
    }

    private static String lease(Map<String, String> variables) {
        return resolved(variables).describe("outbox.lease");
    }

    private static ResolvedConfig resolved(Map<String, String> variables) {
        return ResolvedConfig.of(SpreamConfig.builder().environment(variables).build(), List.of(OUTBOX));
    }
}
