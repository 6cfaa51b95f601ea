package dev.spream.api.metrics;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.search.SearchListener;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/**
 * Publishes the writes of search projections to a Micrometer registry, aggregated over all projections. Safe for use by
 * many threads.
 *
 * <pre>{@code
 * SearchProjection projection = new SearchProjection("words", mapping, index).listener(SearchMetrics.of(registry));
 * }</pre>
 */
public final class SearchMetrics implements SearchListener {
    private final DistributionSummary batchSize;
    private final Timer writes;

    private SearchMetrics(MeterRegistry registry) {
        this.batchSize = DistributionSummary.builder("search.index.batch.size")
                .description("Document changes in one call of the search engine.")
                .serviceLevelObjectives(1, 10, 100, 1_000)
                .register(registry);
        this.writes = new Meters(registry, Tags.empty())
                .timer(
                        "search.index.write.duration",
                        "Duration of a call of the search engine, until its changes are searchable.");
    }

    /** Creates a listener that publishes to the registry. */
    public static SearchMetrics of(MeterRegistry registry) {
        return new SearchMetrics(requireNonNull(registry, "registry"));
    }

    @Override
    public void written(String projection, int changes, Duration took) {
        batchSize.record(changes);
        writes.record(took);
    }
}
