package dev.spream.storage.spanner.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetentionPeriodTest {

    @ParameterizedTest
    @CsvSource({
        "7d, P7D",
        "30d, P30D",
        "36h, PT36H",
        "2880m, P2D",
        "86400s, P1D",
        "1D, P1D",
        "' 7 d ', P7D",
        "999999999d, P999999999D"
    })
    void a_number_and_a_unit_are_a_period(String text, Duration period) {
        assertThat(RetentionPeriod.parse(text)).contains(period);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "d", "7", "-7d", "0d", "1w", "1.5d", "1d12h", "P7D", "7 days", "'7d'", "null", "9999999999d"
            })
    void another_form_is_unknown_and_no_failure(String text) {
        assertThat(RetentionPeriod.parse(text)).isEmpty();
    }
}
