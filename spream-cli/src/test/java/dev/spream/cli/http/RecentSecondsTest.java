package dev.spream.cli.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.cli.http.RecentSeconds.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RecentSecondsTest {
    private final RecentSeconds seconds = new RecentSeconds();

    @Test
    void a_rate_is_of_the_seconds_it_is_asked_for_or_of_those_there_are() {
        assertThat(seconds.rate("consumed", 10)).isZero();
        add(0, 0);
        assertThat(seconds.rate("consumed", 10)).isZero();
        add(1, 30);
        assertThat(seconds.rate("consumed", 10)).isEqualTo(30);
        for (int second = 2; second <= 60; second++) {
            add(second, 30);
        }
        add(61, 40);
        assertThat(seconds.rate("consumed", 10)).isEqualTo(1);
        assertThat(seconds.rate("consumed", 1)).isEqualTo(10);
        assertThat(seconds.rate("skipped", 10)).isZero();
    }

    @Test
    void the_history_is_of_two_minutes() {
        for (int second = 0; second <= 300; second++) {
            add(second, 2L * second);
        }

        assertThat(seconds.history()).hasSize(120).allSatisfy(second -> {
            assertThat(second.settled()).isEqualTo(2);
            assertThat(second.lag()).contains(Duration.ofSeconds(3));
        });
        assertThat(seconds.history().getLast().at()).isEqualTo(Instant.EPOCH.plusSeconds(300));
    }

    private void add(long second, long consumed) {
        seconds.add(new Sample(
                Instant.EPOCH.plusSeconds(second), Map.of("consumed", consumed), Optional.of(Duration.ofSeconds(3))));
    }
}
