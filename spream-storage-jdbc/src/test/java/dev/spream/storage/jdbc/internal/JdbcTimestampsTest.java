package dev.spream.storage.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JdbcTimestampsTest {

    @Test
    void exact_times_come_back_to_the_nanosecond() {
        for (String text : List.of(
                "0001-01-01T00:00:00.000000001Z",
                "1969-12-31T23:59:59.999999999Z",
                "1970-01-01T00:00:00Z",
                "2026-03-01T10:00:00.123456789Z",
                "9999-12-31T23:59:59.999999999Z")) {
            Instant instant = Instant.parse(text);
            assertThat(JdbcTimestamps.instant(JdbcTimestamps.exact(instant))).isEqualTo(instant);
        }
        assertThat(JdbcTimestamps.exact(Instant.parse("9999-12-31T23:59:59.999999999Z")))
                .isEqualTo(new BigDecimal("253402300799.999999999"));
        assertThat(JdbcTimestamps.exact(Instant.EPOCH.minusNanos(1))).isEqualTo(new BigDecimal("-0.000000001"));
    }

    @Test
    void exact_times_order_as_instants_do() {
        Instant later = Instant.parse("9999-12-31T23:59:59.999999999Z");
        assertThat(JdbcTimestamps.exact(later.minusNanos(1))).isLessThan(JdbcTimestamps.exact(later));
        assertThat(JdbcTimestamps.exact(Instant.EPOCH.minusNanos(1))).isLessThan(JdbcTimestamps.exact(Instant.EPOCH));
    }

    @Test
    void durations_come_back_to_the_nanosecond() {
        for (Duration duration : List.of(
                Duration.ZERO, Duration.ofMillis(1500), Duration.ofDays(1).plusNanos(1))) {
            assertThat(JdbcTimestamps.duration(JdbcTimestamps.exact(duration))).isEqualTo(duration);
        }
    }

    @Test
    void a_moment_between_two_of_the_servers_clock_is_the_later_one() {
        assertThat(JdbcTimestamps.clockCeiling(Instant.parse("2026-03-01T10:00:00.123456Z")))
                .isEqualTo(OffsetDateTime.parse("2026-03-01T10:00:00.123456Z"));
        assertThat(JdbcTimestamps.clockCeiling(Instant.parse("2026-03-01T10:00:00.123456001Z")))
                .isEqualTo(OffsetDateTime.parse("2026-03-01T10:00:00.123457Z"));
        assertThat(JdbcTimestamps.clockCeiling(Instant.MAX)).isEqualTo(OffsetDateTime.parse("9999-12-31T23:59:59Z"));
    }

    @Test
    void a_span_of_time_is_rounded_up_to_microseconds() {
        assertThat(JdbcTimestamps.micros(Duration.ofMillis(1))).isEqualTo(1_000);
        assertThat(JdbcTimestamps.micros(Duration.ofSeconds(3).plusNanos(1))).isEqualTo(3_000_001);
    }
}
