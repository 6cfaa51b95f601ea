package dev.spream.core.subscription.reading;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class QuerySettingsTest {

    @Test
    void a_stream_with_short_heartbeats_gets_more_time_the_more_queries_have_brought_nothing_new() {
        QuerySettings quick = new QuerySettings(Duration.ofMillis(100), 2, 1);

        assertThat(quick.stallTimeout(true, 0)).isEqualTo(Duration.ofSeconds(10));
        assertThat(quick.stallTimeout(false, 0)).isEqualTo(Duration.ofMillis(200));
        assertThat(quick.stallTimeout(false, 3)).isEqualTo(Duration.ofMillis(1_600));
        assertThat(quick.stallTimeout(false, Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void a_stream_with_long_heartbeats_has_stalled_after_the_missed_ones() {
        QuerySettings slow = new QuerySettings(Duration.ofSeconds(10), 5, 1);

        assertThat(slow.stallTimeout(false, 5))
                .isEqualTo(slow.stallTimeout(true, 0))
                .isEqualTo(Duration.ofSeconds(50));
    }
}
