package dev.spream.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class SearchMetricsTest {
    @Test
    void the_size_of_each_call_is_published() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        SearchMetrics metrics = SearchMetrics.of(registry);
        metrics.written("words", 7, Duration.ofMillis(20));
        metrics.written("words", 500, Duration.ofMillis(20));
        assertThat(registry.scrape())
                .contains("search_index_batch_size_count 2")
                .contains("search_index_batch_size_sum 507.0")
                .contains("search_index_batch_size_bucket{le=\"10.0\"} 1")
                .contains("search_index_write_duration_seconds_count 2");
    }
}
