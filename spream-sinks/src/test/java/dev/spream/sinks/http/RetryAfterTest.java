package dev.spream.sinks.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class RetryAfterTest {
    private static final Instant NOW = Instant.parse("1994-11-06T08:49:00Z");

    @Test
    void all_three_forms_of_a_date_are_read() {
        for (String date : new String[] {
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"
        }) {
            assertThat(RetryAfter.read(date, NOW)).as(date).contains(Duration.ofSeconds(37));
        }
        assertThat(RetryAfter.read("Wed Nov 16 08:49:37 1994", NOW)).contains(RetryAfter.MAX);
    }

    @Test
    void a_year_of_two_digits_is_the_one_that_is_near() {
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(RetryAfter.read("Sunday, 06-Nov-94 08:49:37 GMT", now)).contains(Duration.ZERO);
        assertThat(RetryAfter.read("Thursday, 01-Jan-26 00:00:09 GMT", now)).contains(Duration.ofSeconds(9));
    }

    @Test
    void any_number_of_digits_is_a_number_of_seconds() {
        assertThat(RetryAfter.read("0000000000007", NOW)).contains(Duration.ofSeconds(7));
        assertThat(RetryAfter.read("9999999999", NOW)).contains(RetryAfter.MAX);
        assertThat(RetryAfter.read("9".repeat(400), NOW)).contains(RetryAfter.MAX);
    }

    @Test
    void an_invalid_retry_after_header_is_ignored() {
        for (String header : new String[] {"", "soon", "-1", "1.5", "Sun, 06 Nov"}) {
            assertThat(RetryAfter.read(header, NOW)).as(header).isEmpty();
        }
    }
}
