package dev.spream.storage.spanner.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.cloud.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampsTest {
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    @Test
    void conversions_keep_nanoseconds() {
        assertThat(Timestamps.toInstant(Timestamp.MAX_VALUE)).isEqualTo(LAST);
        assertThat(Timestamps.toTimestamp(FIRST)).isEqualTo(Timestamp.MIN_VALUE);
    }

    @Test
    void a_text_is_read_as_the_JDK_reads_it_with_any_number_of_digits() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            long second = random.nextLong(FIRST.getEpochSecond(), LAST.getEpochSecond() + 1);
            int nanos = random.nextInt(1_000_000_000);
            String seconds = Instant.ofEpochSecond(second).toString();
            String fraction = "%09d".formatted(nanos).substring(0, random.nextInt(1, 10));
            for (String text : new String[] {seconds, seconds.replace("Z", "." + fraction + "Z")}) {
                assertThat(Timestamps.parse(text)).as(text).isEqualTo(Instant.parse(text));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Z",
                "2026-01-31T23:59:59",
                "2026-01-31T23:59:59.Z ",
                "2026-01-31T23:59:59.1234567890Z",
                "2026-01-31T23:59:59.12 456Z",
                "2026-01-31T23:59:59.+12Z",
                "2026-02-30T00:00:00Z",
                "2026-13-01T00:00:00Z",
                "2026-01-01T25:00:00Z",
                "2026-01-01T00:61:00Z",
                "2026-01-01 00:00:00Z",
                "٢026-01-01T00:00:00Z"
            })
    void a_text_that_is_no_time_in_UTC_is_refused(String text) {
        assertThatExceptionOfType(DateTimeException.class).isThrownBy(() -> Timestamps.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2026-01-31T23:59:59.Z", "2026-01-31T22:59:59+01:00"})
    void rarer_forms_are_read_as_the_JDK_reads_them(String text) {
        assertThat(Timestamps.parse(text)).isEqualTo(Instant.parse(text));
    }
}
