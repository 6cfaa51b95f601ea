package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionOptions.Gaps;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProjectionKeysTest {

    @Test
    void without_settings_the_defaults_of_the_engine_hold() {
        assertThat(ProjectionKeys.options(resolved(Map.of()).section("projections")))
                .isEqualTo(ProjectionOptions.DEFAULTS);
    }

    @Test
    void every_option_has_a_key() {
        assertThat(ProjectionKeys.all().stream().map(key -> key.name()))
                .containsExactlyElementsOf(Arrays.stream(ProjectionOptions.class.getRecordComponents())
                        .map(component ->
                                component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                        .toList());
    }

    @Test
    void every_key_sets_its_option() {
        ResolvedConfig resolved = resolved(Map.of(
                "segments", "16",
                "batch", "500",
                "linger", "200ms",
                "lease", "5s",
                "max-attempts", "9",
                "initial-delay", "2s",
                "max-delay", "1m",
                "gaps", "accept",
                "max-parked", "77",
                "max-failing-percent", "9"));
        assertThat(resolved.problems()).isEmpty();
        assertThat(ProjectionKeys.options(resolved.section("projections")))
                .isEqualTo(new ProjectionOptions(
                        16,
                        500,
                        Duration.ofMillis(200),
                        Duration.ofSeconds(5),
                        9,
                        Duration.ofSeconds(2),
                        Duration.ofMinutes(1),
                        Gaps.ACCEPT,
                        77,
                        9));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "segments; 3; 1 | 2 | 4 | 8",
                "segments; 512; | 256",
                "segments; 0; 1 | 2",
                "batch; 100001; integer, 1 to 100000",
                "lease; 999ms; duration, 1s to 1h",
                "max-attempts; 1001; integer, 1 to 1000",
                "initial-delay; 61m; duration, 1ms to 1h",
                "max-delay; 25h; duration, 1ms to 1d",
                "gaps; ignore; wait | accept",
                "max-parked; 0; integer, 1 to 1000000",
                "max-failing-percent; 101; integer, 1 to 100"
            })
    void an_invalid_value_is_refused_with_the_valid_ones(String key, String value, String expected) {
        assertThat(resolved(Map.of(key, value)).problems())
                .singleElement()
                .asString()
                .startsWith("projections.%s is '%s'".formatted(key, value))
                .contains(expected);
    }

    @ParameterizedTest
    @CsvSource({"segments,256", "batch,100000", "lease,1h", "max-attempts,1000", "initial-delay,30s", "max-delay,1d"})
    void the_bounds_that_are_shown_are_those_of_the_engine(String key, String value) {
        ResolvedConfig resolved = resolved(Map.of(key, value));
        assertThat(resolved.problems()).isEmpty();
        assertThat(ProjectionKeys.options(resolved.section("projections"))).isNotNull();
    }

    @Test
    void delays_that_do_not_go_together_are_refused() {
        ResolvedConfig resolved = resolved(Map.of("initial-delay", "5m"));
        assertThatThrownBy(() -> ProjectionKeys.options(resolved.section("projections")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("projections.max-delay is 30s, but projections.initial-delay is 5m");
    }

    private static ResolvedConfig resolved(Map<String, String> values) {
        SpreamConfig.Builder config = SpreamConfig.builder();
        values.forEach((key, value) -> config.set("projections." + key, value));
        return ResolvedConfig.of(config.build(), List.of(new ConfigSection("projections", ProjectionKeys.all(), true)));
    }
}
