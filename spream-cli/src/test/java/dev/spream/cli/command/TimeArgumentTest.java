package dev.spream.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

final class TimeArgumentTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "2026-01-31T12:00:00Z, 2026-01-31T12:00:00Z",
        "2026-01-31T12:00:00.123456789Z, 2026-01-31T12:00:00.123456789Z",
        "2026-01-31T13:00:00+01:00, 2026-01-31T12:00:00Z",
        "now, 2026-01-31T12:00:00Z",
        "+10s, 2026-01-31T12:00:10Z",
        "-5m, 2026-01-31T11:55:00Z",
        "-2d, 2026-01-29T12:00:00Z",
        "-1h30m, 2026-01-31T10:30:00Z",
        "+1.5s, 2026-01-31T12:00:01.500Z",
    })
    void a_time_is_absolute_or_relative_to_now(String text, Instant expected) {
        assertThat(Converters.time(text).at(NOW)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "yesterday",
                "2026-01-31",
                "2026-01-31T12:00:00",
                "+",
                "+10",
                "+10y",
                "10s",
                "2026-13-01T00:00:00Z"
            })
    void anything_else_is_refused(String text) {
        assertThatThrownBy(() -> Converters.time(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageStartingWith("'%s' is not a time: expected ", text);
    }

    @Test
    void durations_have_a_unit_and_read_back() {
        assertThat(DurationArgument.parse("500ms")).isEqualTo(Duration.ofMillis(500));
        assertThat(DurationArgument.parse("2h")).isEqualTo(Duration.ofHours(2));
        assertThat(DurationArgument.parse("1m30s")).isEqualTo(Duration.ofSeconds(90));
        assertThat(DurationArgument.format(Duration.ofMillis(1_500))).isEqualTo("1500ms");
        assertThat(DurationArgument.format(Duration.ofSeconds(90))).isEqualTo("90s");
        assertThat(DurationArgument.format(Duration.ofMinutes(5))).isEqualTo("5m");
        assertThat(DurationArgument.format(Duration.ofHours(1))).isEqualTo("1h");
        assertThat(DurationArgument.format(Duration.ZERO)).isEqualTo("0s");
    }
}
