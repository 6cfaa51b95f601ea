package dev.spream.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 s",
        "PT0.000000001S, 0.000001 ms",
        "PT0.0004S, 0.4 ms",
        "PT0.328742036S, 329 ms",
        "PT0.9996S, 1 s",
        "PT2S, 2 s",
        "PT2.5S, 2.5 s",
        "PT12.3456S, 12.3 s",
        "PT59.96S, 1 min",
        "PT1M, 1 min",
        "PT1M30.7S, 1 min 30 s",
        "PT1H, 1 h",
        "PT1H0M30S, 1 h",
        "PT25H10M, 1 d 1 h",
        "P365D, 365 d",
        "PT-2S, -2 s"
    })
    void a_duration_is_written_as_people_write_it(Duration duration, String text) {
        assertThat(DurationText.of(duration)).isEqualTo(text);
    }
}
